import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { trpc } from '~/api/client.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Button } from '~/ui/button.tsx';
import { Details } from '~/ui/details.tsx';
import { Duration, Time } from '~/ui/time.tsx';
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
  const { variables, state, result, started, ended } = useShownRun(props, chosen);
  const devices = useTaskDevices(variables?.incoming);
  const errors = (job.error ?? []).filter((error) => error.task === id);
  const hasFailed = errors.length > 0 || task.status === 'error' || task.finish_state === 'error';
  const heading = useRef<HTMLHeadingElement>(null);
  // The panel is below the graph on narrow screens: the selected task must scroll into view.
  useEffect(() => {
    // No expression body: browsers begin to return a promise here, and React would call it as the cleanup.
    heading.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <section className="card task-panel" aria-label="Task">
      <div className="page-head">
        <h2 ref={heading}>{taskTitle(id, task)}</h2>
        <StateBadge state={state} />
        <Button variant="quiet" onPress={() => setUrl({ task: undefined, iteration: undefined })}>
          Close
        </Button>
      </div>
      {task.description && <p className="muted">{task.description}</p>}
      <TaskActions {...props} />
      <Details
        entries={[
          ['Id', <code key="id">{id}</code>],
          ['Operation', [task.app, task.name].filter(Boolean).join(' · ')],
          [
            devices.length === 1 ? 'Device' : 'Devices',
            devices.length > 0 && <TaskDevices names={devices} />,
          ],
          ['Result', result ?? undefined],
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
      {hasFailed && (
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
      {!hasFailed && (
        <section aria-label="Error">
          <p className="muted small">No error.</p>
        </section>
      )}
      {task.name === 'childJob' && <ChildJobs jobId={jobId} taskId={id} />}
    </section>
  );
}

/** The latest run of a task, or an earlier iteration of it, which has to be read. */
function useShownRun({ job, id, task }: TaskProps, chosen: string | undefined) {
  const isPast = chosen !== undefined && chosen !== task.iterations?.at(-1);
  const past = useQuery({
    ...trpc.operationsManager.getTask.queryOptions({ taskId: chosen ?? '' }),
    enabled: isPast,
  }).data?.data;
  if (!isPast) {
    const span = spanOf(task);
    const state = taskState(id, task, job);
    return {
      variables: task.variables,
      state,
      result: task.finish_state,
      started: span?.start,
      ended: span?.end,
    };
  }
  const { start_time: started, end_time: ended, finish_state: result } = past?.metrics ?? {};
  return {
    variables: past?.variables,
    state: past?.status,
    result,
    started: started ?? undefined,
    ended: ended ?? undefined,
  };
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
