import { useEffect, useRef, useState } from 'react';
import { inParallel } from '~/api/in-parallel.ts';
import { problemOf } from '~/api/problem.ts';
import { Badge, Progress } from '../badge.tsx';
import { Button } from '../button.tsx';
import { Dialog } from '../overlays/dialog.tsx';
import { SpokenProgress } from './spoken-progress.tsx';

type Outcome = { isGood: boolean; text: string };

type BulkRunProps = {
  title: string;
  /** What one press starts, with its number: `Back up 12 devices`. */
  action: string;
  /** What will happen, and to what. */
  intro: string;
  items: readonly string[];
  isDanger?: boolean;
  /** Does it for one item; what it throws is shown as the failure of that item. */
  run: (item: string, signal: AbortSignal) => Promise<Outcome>;
  /** Called once everything has ended or was stopped. */
  onDone?: () => void;
  onClose: () => void;
};

/** Requests of one run that are under way at once. */
const AT_ONCE = 8;

/** A dialog that does the same for many objects, and shows the result of each; nothing starts before its button is pressed. */
export function BulkRun({ title, action, intro, items, isDanger, run, onDone, onClose }: BulkRunProps) {
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const [state, setState] = useState<'ready' | 'running' | 'done'>('ready');
  const controller = useRef<AbortController>(undefined);
  useEffect(() => () => controller.current?.abort(), []);
  const start = async () => {
    const current = new AbortController();
    controller.current = current;
    const { signal } = current;
    setState('running');
    await inParallel(
      items,
      AT_ONCE,
      async (item) => {
        const outcome = await run(item, signal).catch((error: unknown) => ({
          isGood: false,
          text: signal.aborted ? 'stopped' : problemOf(error).message,
        }));
        setOutcomes((before) => new Map(before).set(item, outcome));
      },
      signal,
    );
    setState('done');
    onDone?.();
  };
  const failed = [...outcomes.values()].filter(({ isGood }) => !isGood).length;
  return (
    <Dialog title={title} isOpen onClose={onClose} size="wide">
      <p>{intro}</p>
      {state !== 'ready' && (
        <>
          <SpokenProgress
            done={outcomes.size}
            total={items.length}
            failed={failed}
            isRunning={state === 'running'}
          />
          {/* Not said: it changes with every object. */}
          <div role="status" aria-live="off" className="row">
            <Progress label={title} done={outcomes.size} total={items.length} />
            {failed > 0 && <Badge tone="bad">{failed} failed</Badge>}
            {state === 'done' && <span>finished</span>}
          </div>
        </>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className="table-frame bulk-results" tabIndex={0} aria-label={`${title}, results`}>
        <table className="table" aria-label={`${title}: results`}>
          <tbody>
            {items.map((item) => {
              const outcome = outcomes.get(item);
              return (
                <tr key={item}>
                  <th scope="row">{item}</th>
                  <td>
                    {outcome ? (
                      <>
                        <Badge tone={outcome.isGood ? 'good' : 'bad'}>
                          {outcome.isGood ? 'done' : 'failed'}
                        </Badge>{' '}
                        {outcome.text}
                      </>
                    ) : (
                      <span className="muted">{state === 'running' ? 'waiting …' : ''}</span>
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
      <div className="dialog-actions">
        {state === 'running' && <Button onPress={() => controller.current?.abort()}>Stop</Button>}
        <Button onPress={onClose}>{state === 'done' ? 'Close' : 'Back'}</Button>
        {state === 'ready' && (
          <Button variant={isDanger ? 'danger' : 'primary'} onPress={start} autoFocus>
            {action}
          </Button>
        )}
      </div>
    </Dialog>
  );
}
