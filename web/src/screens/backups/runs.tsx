import { Link } from '@tanstack/react-router';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { backupRunPath } from '~/app/paths.ts';
import { Badge, Progress, type Tone } from '~/ui/badge.tsx';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { ListView } from '~/ui/table/list-page.tsx';
import { Time } from '~/ui/time.tsx';

type Run = Outputs['configurationManager']['listBackupRuns']['list'][number];

const TONES: Record<Run['status'], Tone> = {
  running: 'info',
  complete: 'good',
  canceled: 'warn',
  error: 'bad',
};

/** The state of a run: its progress while it is under way. */
export function RunState({ run: { status, total, waiting } }: { run: Run }) {
  if (status === 'running')
    return <Progress label="Devices of the run" done={total - waiting} total={total} />;
  return <Badge tone={TONES[status]}>{status}</Badge>;
}

const COLUMNS: Column<Run>[] = [
  {
    key: 'started',
    header: 'Started',
    cell: ({ runId, started }) => (
      <Link {...backupRunPath(runId)}>
        <Time value={started} />
      </Link>
    ),
    field: 'started',
  },
  { key: 'state', header: 'State', cell: (run) => <RunState run={run} />, field: 'status' },
  {
    key: 'devices',
    header: 'Devices',
    isNumber: true,
    cell: ({ total }) => total,
    field: 'total',
  },
  {
    key: 'stored',
    header: 'New',
    isNumber: true,
    cell: ({ stored }) => stored,
    field: 'stored',
  },
  {
    key: 'unchanged',
    header: 'Unchanged',
    isNumber: true,
    cell: ({ unchanged }) => unchanged,
    field: 'unchanged',
  },
  {
    key: 'failed',
    header: 'Failed',
    isNumber: true,
    cell: ({ runId, failedCount }) =>
      failedCount > 0 ? <Link {...backupRunPath(runId)}>{failedCount}</Link> : failedCount,
    field: 'failedCount',
  },
  {
    key: 'by',
    header: 'Started by',
    cell: ({ scheduleId }) => (scheduleId ? 'a schedule' : 'a user'),
    field: 'scheduleId:Schedule',
  },
  {
    key: 'finished',
    header: 'Ended',
    cell: ({ finished }) => <Time value={finished} />,
    field: 'finished',
  },
];

/** The runs, newest first. */
export function Runs() {
  return (
    <ListView
      title="Backup runs"
      columns={COLUMNS}
      rowKey={({ runId }) => runId}
      path={trpc.configurationManager.listBackupRuns.pathKey()}
      input={{}}
      read={async (start, limit) => {
        const { list, total } = await api.configurationManager.listBackupRuns.query({ start, limit });
        return { rows: list, total };
      }}
      hasTextFilter={false}
      runs="backupRun"
      empty={
        <Empty title="There is no backup run yet">
          <p>Back up a selection of devices now, or create a schedule.</p>
        </Empty>
      }
    />
  );
}
