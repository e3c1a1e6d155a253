import { useState } from 'react';
import { api, type Outputs } from '~/api/client.ts';
import { type Problem, problemOf } from '~/api/problem.ts';
import { Button } from '~/ui/button.tsx';
import { TextArea } from '~/ui/fields.tsx';
import { Dialog } from '~/ui/overlays/dialog.tsx';
import { ProblemNote } from '~/ui/states.tsx';
import { nameText } from '~/ui/visible-text.ts';
import { Passed } from '../passed.tsx';
import type { Analytic } from './analytic-templates-page.tsx';

type Result = Outputs['mop']['runAnalyticsTemplate'];
type Outcome = { result: Result; problem?: undefined } | { problem: Problem };
type Pasted = { before: string; after: string };

const NOTHING: Pasted = { before: '', after: '' };
/** The device that pasted outputs are of. */
const DEVICE = 'pasted';

/** Compares outputs that are pasted with the rules of a stored template; nothing is sent to a device. */
export function TryAnalytic({ template, onClose }: { template: Analytic; onClose: () => void }) {
  const pairs = template.prepostCommands ?? [];
  const [texts, setTexts] = useState<readonly Pasted[]>(() => pairs.map(() => NOTHING));
  const [outcome, setOutcome] = useState<Outcome>();
  const [isRunning, setRunning] = useState(false);
  const paste = (index: number, change: Partial<Pasted>) =>
    setTexts(texts.map((one, at) => (at === index ? { ...one, ...change } : one)));
  const entry = (raw: string, response: string) => ({ raw, evaluated: raw, device: DEVICE, response });
  const run = async () => {
    setRunning(true);
    try {
      const result = await api.mop.runAnalyticsTemplate.query({
        analytic_template_name: template.name,
        pre: {
          commands_results: pairs.map((pair, at) => entry(pair.preRawCommand ?? '', texts[at]?.before ?? '')),
        },
        post: {
          commands_results: pairs.map((pair, at) => entry(pair.postRawCommand ?? '', texts[at]?.after ?? '')),
        },
      });
      setOutcome({ result });
    } catch (error) {
      setOutcome({ problem: problemOf(error) });
    } finally {
      setRunning(false);
    }
  };
  return (
    <Dialog title={`Try ${nameText(template.name)}`} isOpen size="wide" onClose={onClose}>
      <p className="muted">Paste the outputs of a device before and after a change; nothing is sent.</p>
      {pairs.map((pair, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pairs have no other identity, and the dialog changes none
        <div key={index} className="columns">
          <TextArea
            label={`${index + 1}. Before: ${pair.preRawCommand ?? ''}`}
            rows={6}
            isCode
            value={texts[index]?.before ?? ''}
            onChange={(before) => paste(index, { before })}
          />
          <TextArea
            label={`${index + 1}. After: ${pair.postRawCommand ?? ''}`}
            rows={6}
            isCode
            value={texts[index]?.after ?? ''}
            onChange={(after) => paste(index, { after })}
          />
        </div>
      ))}
      <div className="row">
        <Button variant="primary" isPending={isRunning} isDisabled={pairs.length === 0} onPress={run}>
          Compare
        </Button>
      </div>
      {outcome &&
        (outcome.problem ? <ProblemNote problem={outcome.problem} /> : <Verdict of={outcome.result} />)}
      <div className="dialog-actions">
        <Button onPress={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}

function Verdict({ of: { result, analytic_result: commands } }: { of: Result }) {
  return (
    <section className="column" aria-label="Outcome">
      <p role="status">
        The template <Passed is={result} />
      </p>
      <ul className="plain">
        {commands.map(({ command, result, rules }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two pairs may have the same command
          <li key={index}>
            <Passed is={result} /> <code>{command}</code>
            <ul>
              {rules.map(({ pre, post, evaluator, result, error }, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: rules have no other identity
                <li key={at}>
                  <Passed is={result} /> {JSON.stringify(pre) ?? 'nothing'} {evaluator}{' '}
                  {JSON.stringify(post) ?? 'nothing'}
                  {error !== undefined && `: ${String(error)}`}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  );
}
