import { Link } from '@tanstack/react-router';
import { api, type Inputs, type Outputs, trpc } from '~/api/client.ts';
import { useRefetchOn } from '~/api/live/use-live.ts';
import { useWhoAmI } from '~/api/use-may.ts';
import { useNames } from '~/api/use-names.ts';
import { jobPath, workPath } from '~/app/paths.ts';
import { type UrlState, useUrlState } from '~/app/url-state.ts';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { ListPage } from '~/ui/table/list-page.tsx';
import { sortOf } from '~/ui/table/sort.ts';
import { Time } from '~/ui/time.tsx';
import { nameText } from '~/ui/visible-text.ts';
import { WaitingApprovals } from './waiting-approvals.tsx';

type WorkItem = Outputs['operationsManager']['listTasks']['data'][number];
type Query = NonNullable<Inputs['operationsManager']['listTasks']['queryOptions']>;

/** Returns what the list asks for at an address: waiting tasks, the oldest first. */
function queryOf({ q, sort, owner, group, job }: UrlState): Query {
  const order = sortOf(sort) ?? { field: 'metrics.start_time', order: 1 as const };
  return {
    equals: {
      type: 'manual',
      status: 'running',
      ...(owner && { 'metrics.owner': owner }),
      ...(group && { groups: group }),
      ...(job && { 'job._id': job }),
    },
    ...(q && { contains: { summary: q } }),
    exclude: 'variables',
    sort: order.field,
    order: order.order,
  };
}

const columnsOf = (nameOf: (id: string) => string): Column<WorkItem>[] => [
  {
    key: 'task',
    header: 'Task',
    width: '20rem',
    cell: (item) => <Link {...workPath(item._id ?? '')}>{item.summary || item.name || item._id || ''}</Link>,
    field: 'summary:Summary,name:Task',
  },
  {
    key: 'since',
    header: 'Waiting since',
    sortField: 'metrics.start_time',
    width: '10rem',
    cell: (item) => <Time value={item.metrics?.start_time} />,
    field: 'metrics.start_time',
  },
  {
    key: 'job',
    header: 'Job',
    cell: (item) => (
      <Link {...jobPath(item.job?._id ?? '')} search={{ task: item.job?.task }}>
        {nameText(item.job?.name ?? '')}
      </Link>
    ),
    field: 'job.name',
  },
  {
    key: 'owner',
    header: 'Claimed by',
    width: '12rem',
    cell: (item) =>
      item.metrics?.owner ? nameOf(item.metrics.owner) : <span className="muted">nobody</span>,
    field: 'metrics.owner',
  },
  {
    key: 'groups',
    header: 'Groups',
    cell: (item) =>
      item.groups?.length ? item.groups.map(nameOf).join(', ') : <span className="muted">everyone</span>,
    field: 'groups',
  },
];

/** The tasks that wait for a user, the oldest first. */
export function WorkPage() {
  const [url] = useUrlState();
  const nameOf = useNames();
  const input = queryOf(url);
  useRefetchOn(
    trpc.operationsManager.listTasks.pathFilter(),
    ({ topic }) => topic.startsWith('task') || topic.startsWith('job'),
  );
  return (
    <ListPage
      title="My work"
      intro={<WaitingApprovals />}
      columns={columnsOf(nameOf)}
      rowKey={(item) => item._id ?? ''}
      path={trpc.operationsManager.listTasks.pathKey()}
      input={input}
      defaultSort={{ field: 'metrics.start_time', order: 1 }}
      filters={<WorkFilters />}
      read={async (skip, limit) => {
        const { data, metadata } = await api.operationsManager.listTasks.query({
          queryOptions: { ...input, skip, limit },
        });
        return { rows: data, total: metadata.total };
      }}
      empty={
        <Empty title="No task is waiting for you">
          <p>A task appears here as soon as a job waits for a person.</p>
        </Empty>
      }
    />
  );
}

function WorkFilters() {
  const [{ owner = '', group = '', job }, setUrl] = useUrlState();
  const me = useWhoAmI();
  const nameOf = useNames();
  const groups = me?.groups ?? [];
  const isForeign = group !== '' && !groups.some(({ id }) => id === group);
  return (
    <>
      <select
        className="input fit"
        aria-label="Claimed by"
        value={owner}
        onChange={(event) => setUrl({ owner: event.target.value })}
      >
        <option value="">Claimed or not</option>
        {me && <option value={me.id}>Claimed by me</option>}
        {owner && owner !== me?.id && <option value={owner}>Claimed by {nameOf(owner)}</option>}
      </select>
      {(groups.length > 0 || isForeign) && (
        <select
          className="input fit"
          aria-label="Group"
          value={group}
          onChange={(event) => setUrl({ group: event.target.value })}
        >
          <option value="">Any group</option>
          {groups.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
          {isForeign && <option value={group}>{nameOf(group)}</option>}
        </select>
      )}
      {job && (
        <button type="button" className="button" onClick={() => setUrl({ job: undefined })}>
          Of one job ✕
        </button>
      )}
    </>
  );
}
