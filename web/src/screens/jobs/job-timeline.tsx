import { useMemo } from 'react';
import { now } from '~/api/live/clock.ts';
import { Duration } from '~/ui/time.tsx';
import { taskState } from './job-state.tsx';
import { spanOf, stepsOf } from './task-order.ts';
import { type StepsProps, TaskButton } from './task-table.tsx';

/** The tasks that have started, each as a bar from its start to its end. */
export function JobTimeline({ job, chosen, onChoose }: StepsProps) {
  const present = now();
  const bars = useMemo(
    () =>
      stepsOf(job)
        .flatMap(({ id, task }) => {
          const span = spanOf(task);
          return span ? [{ id, task, ...span }] : [];
        })
        .sort((a, b) => a.start - b.start),
    [job],
  );
  if (bars.length === 0) return <p className="muted">No task has started yet.</p>;
  const from = Math.min(...bars.map(({ start }) => start));
  const to = Math.max(from + 1, ...bars.map(({ end }) => end ?? present));
  const share = (ms: number) => `${((ms - from) / (to - from)) * 100}%`;
  return (
    <ol className="timeline" aria-label="Timeline">
      {bars.map(({ id, task, start, end }) => {
        const state = taskState(id, task, job);
        return (
          <li key={id}>
            <TaskButton {...{ id, task, chosen, onChoose }} />
            <div className="timeline-track">
              <div
                className="timeline-bar"
                data-state={state}
                style={{
                  left: share(start),
                  width: `max(3px, ${(((end ?? present) - start) / (to - from)) * 100}%)`,
                }}
              />
            </div>
            {/* The colour of the bar alone would not say it. */}
            <span className="small muted">
              {state !== 'complete' && <b>{state} </b>}
              <Duration start={start} end={end} />
            </span>
          </li>
        );
      })}
    </ol>
  );
}
