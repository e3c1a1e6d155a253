import { useQuery } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { Circle, CircleCheck } from 'lucide-react';
import { useEffect, useState } from 'react';
import { trpc } from '~/api/client.ts';
import { useLiveEvents, useRefetchOn } from '~/api/live/use-live.ts';
import { useMay, useWhoAmI } from '~/api/use-may.ts';
import { usePreferences } from '~/api/use-preferences.ts';
import { Progress } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { showProblem } from '~/ui/overlays/toast.tsx';
import { STEPS, type TourMoment } from './steps.ts';

/** Whether the account has a tour: accounts of the demo have one. */
export const useHasTour = (): boolean => usePreferences()[0].tour !== undefined;

/** The first ten minutes: a list of steps that tick themselves off as they happen. It can be closed and repeated. */
export function Tour() {
  const [{ tour }, change] = usePreferences();
  const [isOpen, setOpen] = useState(true);
  if (!tour || tour.isDismissed) return null;
  return (
    <aside className="card tour" aria-label="Tour">
      <div className="row tour-head">
        <h2>First steps</h2>
        <Button variant="quiet" onPress={() => setOpen(!isOpen)} aria-expanded={isOpen}>
          {isOpen ? 'Fold' : 'Unfold'}
        </Button>
        <Button
          variant="quiet"
          onPress={() => void change(() => ({ tour: { isDismissed: true } })).catch(showProblem)}
        >
          Skip the tour
        </Button>
      </div>
      {isOpen && (
        <Steps
          done={tour.done ?? []}
          onDone={(steps) =>
            // Steps are ticked off in the background: what fails is ticked off by the next event.
            void change(({ tour }) => ({
              tour: { done: [...new Set([...(tour?.done ?? []), ...steps])] },
            })).catch(() => undefined)
          }
        />
      )}
    </aside>
  );
}

function Steps({ done, onDone }: { done: readonly string[]; onDone: (steps: string[]) => void }) {
  const may = useMay();
  const who = useWhoAmI();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const counts = useQuery({
    ...trpc.configurationManager.countRemediations.queryOptions({}),
    enabled: may('configurationManager.countRemediations'),
  });
  useRefetchOn(
    trpc.configurationManager.countRemediations.pathFilter(),
    ({ topic, payload }) => topic === 'configurationChanged' && payload.kind === 'remediation',
  );
  const proposals = counts.data?.counts ?? {};
  const accountId = who?.id ?? '';
  const tick = (moment: TourMoment) => {
    const now = STEPS.filter(({ id, isDone }) => !done.includes(id) && isDone(moment));
    if (now.length > 0) onDone(now.map(({ id }) => id));
  };
  useLiveEvents((event) => tick({ path, event, proposals, accountId }));
  // A step may be done by where the user is, or by what the server counts.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only these two change what is done
  useEffect(() => {
    tick({ path, proposals, accountId });
  }, [path, counts.data]);
  const next = STEPS.find(({ id }) => !done.includes(id));
  const open = STEPS.filter(({ id }) => !done.includes(id)).length;
  if (!next) return <p>You have seen the whole platform. The command palette starts the tour again.</p>;
  return (
    <>
      <Progress label="Steps of the tour" done={STEPS.length - open} total={STEPS.length} />
      <ol className="tour-steps">
        {STEPS.map(({ id, title, hint, to }) => (
          <li
            key={id}
            aria-current={id === next.id ? 'step' : undefined}
            data-done={done.includes(id) || undefined}
          >
            {done.includes(id) ? <CircleCheck className="icon" /> : <Circle className="icon" />}
            <span>
              <Link to={to}>{title}</Link>
              <span className="visually-hidden">{done.includes(id) ? ', done' : ', not done yet'}</span>
            </span>
            {id === next.id && <p className="muted small">{hint}</p>}
          </li>
        ))}
      </ol>
    </>
  );
}
