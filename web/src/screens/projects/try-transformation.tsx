import { useState } from 'react';
import { api, type Outputs } from '~/api/client.ts';
import { type Problem, problemOf } from '~/api/problem.ts';
import { Button } from '~/ui/button.tsx';
import { JsonView } from '~/ui/code/json-view.tsx';
import { JsonField } from '~/ui/form/json-field.tsx';
import { parseObject } from '~/ui/form/parse-object.ts';
import { Dialog } from '~/ui/overlays/dialog.tsx';
import { ProblemNote } from '~/ui/states.tsx';
import { nameText } from '~/ui/visible-text.ts';

type Transformation = Outputs['transformations']['listTransformations']['results'][number];
type Outcome = { value: unknown; problem?: undefined } | { problem: Problem };

/** Returns the inputs of a transformation as JSON, with the examples of its schemas or nothing as values. */
const exampleOf = ({ incoming = [] }: Transformation): string =>
  JSON.stringify(
    Object.fromEntries(
      incoming.map(({ $id, default: fallback, examples }) => [
        String($id),
        fallback ?? (Array.isArray(examples) ? examples[0] : undefined) ?? null,
      ]),
    ),
    null,
    2,
  );

/** Runs a stored transformation on inputs that are typed; nothing is stored. */
export function TryTransformation({
  transformation,
  onClose,
}: {
  transformation: Transformation;
  onClose: () => void;
}) {
  const [text, setText] = useState(() => exampleOf(transformation));
  const [outcome, setOutcome] = useState<Outcome>();
  const [isRunning, setRunning] = useState(false);
  const incoming = parseObject(text).value;
  const run = async () => {
    setRunning(true);
    try {
      const { _id: id } = transformation;
      setOutcome({
        value: await api.transformations.runTransformation.query({ id, incoming: incoming ?? {} }),
      });
    } catch (error) {
      setOutcome({ problem: problemOf(error) });
    } finally {
      setRunning(false);
    }
  };
  return (
    <Dialog title={`Try ${nameText(transformation.name)}`} isOpen size="wide" onClose={onClose}>
      <JsonField
        label="Inputs, as JSON"
        hint="The names are those of its inputs; nothing is stored"
        rows={8}
        text={text}
        onChange={setText}
      />
      <div className="row">
        <Button variant="primary" isDisabled={incoming === undefined} isPending={isRunning} onPress={run}>
          Run
        </Button>
      </div>
      {outcome &&
        (outcome.problem ? (
          <ProblemNote problem={outcome.problem} />
        ) : (
          <>
            <h3>Outputs</h3>
            <JsonView label="Outputs" value={outcome.value} />
          </>
        ))}
      <div className="dialog-actions">
        <Button onPress={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
