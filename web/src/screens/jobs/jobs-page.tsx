import { Link } from '@tanstack/react-router';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useRefetchOn } from '~/api/use-live.ts';
import { jobPath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Badge } from '~/ui/badge.tsx';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { ListPage, sortOf } from '~/ui/table/list-page.tsx';
import { Time } from '~/ui/time.tsx';

type Job = Outputs['operationsManager']['listJobs']['data'][number];

const COLUMNS: Column<Job>[] = [
  {
    key: 'name',
    header: 'Name',
    sortField: 'name',
    cell: (job) => <Link to={jobPath(job._id ?? '')}>{job.name}</Link>,
    text: (job) => job.name ?? '',
  },
  { key: 'status', header: 'State', cell: (job) => <Badge>{job.status}</Badge>, text: (job) => job.status },
  {
    key: 'start',
    header: 'Started',
    sortField: 'metrics.start_time',
    cell: (job) => <Time value={job.metrics?.start_time} />,
  },
];

/** Screen 2: the jobs. */
export function JobsPage() {
  const [{ q, sort }] = useUrlState();
  const order = sortOf(sort) ?? { field: 'metrics.start_time', order: -1 };
  const input = { ...(q && { contains: { name: q } }), sort: order.field, order: order.order };
  useRefetchOn(trpc.operationsManager.listJobs.pathFilter(), ({ topic }) => topic.startsWith('job'));
  return (
    <ListPage
      title="Jobs"
      columns={COLUMNS}
      rowKey={(job) => job._id ?? ''}
      path={trpc.operationsManager.listJobs.pathKey()}
      input={input}
      read={async (skip, limit) => {
        const { data, metadata } = await api.operationsManager.listJobs.query({
          queryOptions: { ...input, skip, limit },
        });
        return { rows: data, total: metadata.total };
      }}
      empty={
        <Empty title="No job has run yet">
          <p>Start one from an automation.</p>
        </Empty>
      }
    />
  );
}
