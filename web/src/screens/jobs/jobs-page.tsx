import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { type Outputs, trpc } from '~/api/client.ts';
import { useRefetchOn } from '~/api/live/use-live.ts';
import { useMay } from '~/api/use-may.ts';
import { jobPath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Progress } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { loadCode } from '~/ui/load-code.ts';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { ListPage } from '~/ui/table/list-page.tsx';
import { Duration, Time } from '~/ui/time.tsx';
import { nameText } from '~/ui/visible-text.ts';
import { BulkActions } from './bulk-actions.tsx';
import { JobFilters, StateCounts } from './job-filters.tsx';
import { pagesOf } from './job-query.ts';
import { errorLine, StateBadge, stoppedAt } from './job-state.tsx';

/** The first page is drawn without it. */
const StartJob = lazy(async () => {
  const { StartJob: Loaded } = await loadCode(() => import('./start-job.tsx'));
  return { default: Loaded };
});

type Job = Outputs['operationsManager']['listJobs']['data'][number];

/** How long a job has taken so far: a list is read again with the next event, which may be hours away. */
function JobDuration({ job }: { job: Job }) {
  const start = job.metrics?.start_time;
  return start === undefined ? '–' : <Duration start={start} end={stoppedAt(job)} />;
}

const firstError = ({ error }: Job): string => errorLine(error?.[0]?.message);

const COLUMNS: Column<Job>[] = [
  {
    key: 'name',
    header: 'Name',
    sortField: 'name',
    width: '18rem',
    cell: (job) => (
      <>
        <Link {...jobPath(job._id ?? '')}>{nameText(job.name ?? job._id ?? '')}</Link>
        {job.description && <span className="muted"> {job.description}</span>}
      </>
    ),
    field: 'name',
  },
  {
    key: 'status',
    header: 'State',
    sortField: 'status',
    width: '7rem',
    cell: (job) => <StateBadge state={job.status} />,
    field: 'status',
  },
  {
    key: 'progress',
    header: 'Progress',
    width: '10rem',
    cell: ({ name, metrics }) => (
      <Progress label={`Progress of ${name}`} done={metrics?.progress ?? 0} total={1} isPercent />
    ),
    field: 'metrics.progress',
  },
  {
    key: 'start',
    header: 'Started',
    sortField: 'metrics.start_time',
    width: '8rem',
    cell: (job) => <Time value={job.metrics?.start_time} />,
    field: 'metrics.start_time',
  },
  {
    key: 'duration',
    header: 'Duration',
    isNumber: true,
    width: '8rem',
    cell: (job) => <JobDuration job={job} />,
    field: 'metrics.end_time:Ended',
  },
  {
    key: 'who',
    header: 'Started by',
    width: '12rem',
    cell: (job) =>
      job.created_by ? (
        <Link to="/jobs" search={{ who: job.created_by }}>
          {job.initiator ?? job.created_by}
        </Link>
      ) : (
        (job.initiator ?? '')
      ),
    field: 'initiator',
  },
  {
    key: 'error',
    header: 'Error',
    cell: (job) => <span title={firstError(job)}>{firstError(job)}</span>,
    field: 'error.0.message',
  },
];

/** Screen 2: the jobs. */
export function JobsPage() {
  const [url, setUrl] = useUrlState();
  const may = useMay();
  // Undefined: its dialog has not been opened yet.
  const [isStarting, setStarting] = useState<boolean>();
  const concerns = ({ topic }: { topic: string }) => topic.startsWith('job') || topic === 'taskErrored';
  useRefetchOn(trpc.operationsManager.listJobs.pathFilter(), concerns);
  useRefetchOn(trpc.operationsManager.countJobs.pathFilter(), concerns);
  useRefetchOn(trpc.operationsManager.countTasks.pathFilter(), ({ topic }) => topic.startsWith('task'));
  return (
    <>
      <ListPage
        title="Jobs"
        columns={COLUMNS}
        rowKey={(job) => job._id ?? ''}
        {...pagesOf(url)}
        defaultSort={{ field: 'metrics.start_time', order: -1 }}
        intro={<StateCounts />}
        filters={<JobFilters />}
        // All times filter nothing.
        subject={url.window === 'all' ? ['window'] : []}
        actions={
          may('operationsManager.startJob') && (
            <Button variant="primary" onPress={() => setStarting(true)}>
              Start job
            </Button>
          )
        }
        bulk={(selected, clear, rows) => (
          <BulkActions
            selected={selected}
            nameOf={(id) => rows.find(({ _id }) => _id === id)?.name ?? id}
            onDone={clear}
          />
        )}
        empty={
          <Empty
            title={url.window === 'all' ? 'No job has run yet' : 'No job ran in the last 7 days'}
            next={may('operationsManager.startJob') && { label: 'Start one', act: () => setStarting(true) }}
          >
            <p>
              Start one here, or from an automation. Jobs of a project are shown to its members, and those
              with groups to the members of these.
            </p>
            {url.window !== 'all' && (
              <Button onPress={() => setUrl({ window: 'all' })}>Show jobs of all times</Button>
            )}
          </Empty>
        }
      />
      {isStarting !== undefined && (
        <Suspense>
          <StartJob isOpen={isStarting} onClose={() => setStarting(false)} />
        </Suspense>
      )}
    </>
  );
}
