import { lazy, Suspense } from 'react';
import { ToggleButton, Toolbar } from 'react-aria-components';
import { useIsNarrow } from '~/app/narrow-window.ts';
import { useUrlState } from '~/app/url-state.ts';
import { loadCode } from '~/ui/load-code.ts';
import { Loading } from '~/ui/states.tsx';
import type { Job } from './job-state.tsx';
import { JobTimeline } from './job-timeline.tsx';
import { TaskTable } from './task-table.tsx';

const JobGraph = lazy(async () => {
  const { JobGraph } = await loadCode(() => import('./graph/job-graph.tsx'));
  return { default: JobGraph };
});

const VIEWS = [
  { key: 'graph', title: 'Graph view' },
  { key: 'timeline', title: 'Timeline view' },
  { key: 'table', title: 'Table view' },
] as const;

/** The same tasks in three views; the choice is kept in the address. */
export function JobViews({ job }: { job: Job }) {
  const [{ view: named, task }, setUrl] = useUrlState();
  // In a narrow window the boxes of a graph are too small to read.
  const first = useIsNarrow() ? 'table' : 'graph';
  const view = VIEWS.find(({ key }) => key === named)?.key ?? first;
  const choose = (id: string) => setUrl({ task: id, iteration: undefined });
  return (
    <section className="column" aria-label="Steps">
      <Toolbar className="segments" aria-label="View">
        {VIEWS.map(({ key, title }) => (
          <ToggleButton
            key={key}
            className="button"
            isSelected={view === key}
            // A view that is switched off leads back to the first one.
            onChange={(isSelected) => setUrl({ view: isSelected && key !== first ? key : undefined })}
          >
            {title}
          </ToggleButton>
        ))}
      </Toolbar>
      {view === 'table' && <TaskTable job={job} chosen={task} onChoose={choose} />}
      {view === 'timeline' && <JobTimeline job={job} chosen={task} onChoose={choose} />}
      {view === 'graph' && (
        <Suspense fallback={<Loading what="Loading the graph" />}>
          <JobGraph job={job} chosen={task} onChoose={choose} />
        </Suspense>
      )}
    </section>
  );
}
