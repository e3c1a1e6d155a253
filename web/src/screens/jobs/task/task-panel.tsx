import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { trpc } from '~/api/client.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Button } from '~/ui/button.tsx';
import { Details } from '~/ui/details.tsx';
import { Duration, Time } from '~/ui/time.tsx';
import { visibleText } from '~/ui/visible-text.ts';
import { type Job, type JobTask, StateBadge, taskState, taskTitle } from '../job-state.tsx';
import { errorText, spanOf } from '../task-order.ts';
import { ChildJobs } from './child-jobs.tsx';
import { TaskActions } from './task-actions.tsx';
import { TaskDevices, useTaskDevices } from './task-devices.tsx';
import { ValueRegion } from './value-region.tsx';

export type TaskProps = { job: Job; jobId: string; id: string; task: JobTask };

/** The chosen task: its input beside its output, its error, times, retries and iterations. */
export function TaskPanel(props: TaskProps) {
  const { job, jobId, id, task } = props;
  const [{ iteration }, setUrl] = useUrlState();
  const iterations = task.iterations ?? [];
  const chosen = iteration !== undefined && iterations.includes(iteration) ? iteration : iterations.at(-1);
  const isPast = chosen !== undefined && chosen !== iterations.at(-1);
  const past = useQuery({
    ...trpc.operationsManager.getTask.queryOptions({ taskId: chosen ?? '' }),
    enabled: isPast,
  }).data?.data;
  const variables = isPast ? past?.variables : task.variables;
  const devices = useTaskDevices(variables?.incoming);
  const errors = (job.error ?? []).filter((error) => error.task === id);
  const heading = useRef<HTMLHeadingElement>(null);
  // The panel is below the graph on narrow screens: the selected task must scroll into view.
  useEffect(() => {
    // No expression body: browsers begin to return a promise here, and React would call it as the cleanup.
    heading.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const started = isPast ? (past?.metrics.start_time ?? undefined) : spanOf(task)?.start;
  const ended = isPast ? (past?.metrics.end_time ?? undefined) : spanOf(task)?.end;
  return (
    <section className="card task-panel" aria-label="Task">
      <div className="page-head">
        <h2 ref={heading}>{visibleText(taskTitle(id, task))}</h2>
        <StateBadge state={isPast ? past?.status : taskState(id, task, job)} />
        <Button variant="quiet" onPress={() => setUrl({ task: undefined, iteration: undefined })}>
          Close
        </Button>
      </div>
      {task.description && <p className="muted">{visibleText(task.description)}</p>}
      <TaskActions {...props} />
      <Details
        entries={[
          ['Id', <code key="id">{id}</code>],
          ['Operation', visibleText([task.app, task.name].filter(Boolean).join(' · '))],
          [
            devices.length === 1 ? 'Device' : 'Devices',
            devices.length > 0 && <TaskDevices names={devices} />,
          ],
          ['Result', (isPast ? past?.metrics.finish_state : task.finish_state) ?? undefined],
          ['Started', started !== undefined && <Time key="start" value={started} />],
          ['Duration', started !== undefined && <Duration key="duration" start={started} end={ended} />],
          ['Retries', retriesOf(task)],
        ].map(([name, value]) => [String(name), value || undefined])}
      />
      {iterations.length > 1 && (
        <label className="row">
          Iteration
          <select
            className="input fit"
            value={chosen}
            onChange={(event) => setUrl({ iteration: event.target.value })}
          >
            {iterations.map((one, index) => (
              <option key={one} value={one}>
                {index + 1} of {iterations.length}
              </option>
            ))}
          </select>
        </label>
      )}
      {(errors.length > 0 || task.status === 'error' || task.finish_state === 'error') && (
        <ValueRegion
          label="Error"
          path={`$.tasks.${id}.error`}
          value={errorValue(
            errors.map(({ message }) =>
              typeof message === 'string' ? errorText(job, id, message) : message,
            ),
          )}
        />
      )}
      <div className="task-values">
        <ValueRegion
          label="Input"
          path={`$.tasks.${id}.variables.incoming`}
          value={variables?.incoming ?? {}}
        />
        <ValueRegion
          label="Output"
          path={`$.tasks.${id}.variables.outgoing`}
          value={variables?.outgoing ?? {}}
        />
      </div>
      {errors.length === 0 && task.status !== 'error' && task.finish_state !== 'error' && (
        <section aria-label="Error">
          <p className="muted small">No error.</p>
        </section>
      )}
      {task.name === 'childJob' && <ChildJobs jobId={jobId} taskId={id} />}
    </section>
  );
}

/** Messages as lines of text; structured ones as they are. */
function errorValue(messages: readonly unknown[]): unknown {
  if (messages.every((message) => typeof message === 'string')) return messages.join('\n');
  return messages.length === 1 ? messages[0] : messages;
}

function retriesOf({ retrySettings }: JobTask): string | undefined {
  if (!retrySettings) return undefined;
  const { count = 0, limit, autoRetry } = retrySettings;
  return `${count} of ${limit ?? 'any number'}, ${autoRetry ? 'automatic' : 'by a user'}`;
}
