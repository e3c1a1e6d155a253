import { useState } from 'react';
import { api, type Inputs, type Outputs } from '~/api/client.ts';
import { problemOf } from '~/api/problem.ts';
import { Button } from '~/ui/button.tsx';
import { Checkbox } from '~/ui/fields.tsx';
import { FileField, parseJsonFile } from '~/ui/file-field.tsx';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { Dialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { ProblemNote } from '~/ui/states.tsx';
import { MissingList } from './missing-list.tsx';

type Request = Inputs['automationStudio']['importProject'];
type Result = Outputs['automationStudio']['importProject'];
type Mode = 'insert-new' | 'overwrite';

/** Imports a project: a dry run shows what would happen before anything is stored. */
export function ImportProject({
  isOpen,
  onClose,
  onDone,
}: {
  isOpen: boolean;
  onClose: () => void;
  onDone: () => unknown;
}) {
  const [file, setFile] = useState<unknown>();
  const [mode, setMode] = useState<Mode>('insert-new');
  const [isRelinked, setRelinked] = useState(false);
  const [result, setResult] = useState<Result>();
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const close = () => {
    setFile(undefined);
    setResult(undefined);
    setError(undefined);
    onClose();
  };
  const send = async (dryRun: boolean) => {
    setPending(true);
    setError(undefined);
    try {
      // What the file holds is for the server to judge: it lists every issue by path.
      const request = { ...unwrapped(file), conflictMode: mode, relink: isRelinked, dryRun } as Request;
      const answer = await api.automationStudio.importProject.mutate(request);
      setResult(answer);
      if (dryRun) return;
      showToast(answer.message);
      await onDone();
      close();
    } catch (failure) {
      setResult(undefined);
      setError(failure);
    } finally {
      setPending(false);
    }
  };
  return (
    <Dialog title="Import project" isOpen={isOpen} onClose={close} size="wide">
      <FileField
        label="Project file"
        accept=".json"
        onText={(text) => {
          const parsed = parseJsonFile(text);
          setResult(undefined);
          setError('problem' in parsed ? new Error(parsed.problem) : undefined);
          setFile('value' in parsed ? parsed.value : undefined);
        }}
      />
      <SelectField<Mode>
        label="If the project exists"
        value={mode}
        onChange={setMode}
        choices={[
          { value: 'insert-new', label: 'Add what is new, keep the rest' },
          { value: 'overwrite', label: 'Replace components with the same reference' },
        ]}
      />
      <Checkbox
        label="Link child workflows to the only candidate of the project"
        isChecked={isRelinked}
        onChange={setRelinked}
      />
      {error !== undefined && <ProblemNote problem={problemOf(error)} />}
      {result && <Report result={result} />}
      <div className="dialog-actions">
        <Button onPress={close}>Back</Button>
        <Button onPress={() => void send(true)} isDisabled={file === undefined} isPending={isPending}>
          Dry run
        </Button>
        <Button
          variant="primary"
          onPress={() => void send(false)}
          isDisabled={file === undefined}
          isPending={isPending}
        >
          Import
        </Button>
      </div>
    </Dialog>
  );
}

const unwrapped = (file: unknown): object =>
  typeof file === 'object' && file !== null && 'project' in file
    ? { project: file.project }
    : { project: file };

function Report({ result: { data, metadata } }: { result: Result }) {
  return (
    <section className="note column" aria-label="Result of the dry run">
      <p>
        {data.name}: {data.components?.length ?? 0} components.
      </p>
      {metadata.drafts.length > 0 && (
        <details open>
          <summary>{metadata.drafts.length} would be drafts, which cannot run</summary>
          <ul>
            {metadata.drafts.map(({ reference, name, errors }) => (
              <li key={reference}>
                {name}: {errors.map(({ message }) => message).join('; ')}
              </li>
            ))}
          </ul>
        </details>
      )}
      {metadata.missing.length > 0 && (
        <details open>
          <summary>{metadata.missingTotal} parts are missing here</summary>
          <MissingList missing={metadata.missing} />
        </details>
      )}
    </section>
  );
}
