import { Link } from '@tanstack/react-router';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useRefetchOn } from '~/api/live/use-live.ts';
import { jobPath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Badge, type Tone } from '~/ui/badge.tsx';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { ListView } from '~/ui/table/list-page.tsx';
import { Time } from '~/ui/time.tsx';

type Job = Outputs['operationsManager']['listJobs']['data'][number];

const TONES: Record<string, Tone> = { complete: 'good', error: 'bad', running: 'info', paused: 'warn' };
/** The names under which workflows usually keep the device that they work on. */
const VARIABLES = ['device', 'deviceName', 'device_name', 'host', 'name'];

/** Jobs that have the device in one of their variables. */
export function JobsTab({ name }: { name: string }) {
  const [{ variable = 'device' }, setUrl] = useUrlState();
  const input = { equals: { [`variables.${variable}`]: name } };
  useRefetchOn(trpc.operationsManager.listJobs.pathFilter(), ({ topic }) => topic.startsWith('job'));
  return (
    <ListView
      title="Jobs of this device"
      hasTextFilter={false}
      columns={COLUMNS}
      rowKey={({ _id }) => _id ?? ''}
      path={trpc.operationsManager.listJobs.pathKey()}
      input={input}
      read={async (skip, limit) => {
        const { data, metadata } = await api.operationsManager.listJobs.query({
          queryOptions: { ...input, skip, limit },
        });
        return { rows: data, total: metadata.total };
      }}
      filters={
        <select
          className="input fit"
          aria-label="Variable of the job that names the device"
          value={variable}
          onChange={(event) => setUrl({ variable: event.target.value })}
        >
          {VARIABLES.map((one) => (
            <option key={one} value={one}>
              Variable {one}
            </option>
          ))}
        </select>
      }
      empty={
        <Empty title="No job names this device">
          <p>These are the jobs whose variable “{variable}” is the name of the device.</p>
        </Empty>
      }
    />
  );
}

const COLUMNS: Column<Job>[] = [
  {
    key: 'name',
    header: 'Name',
    cell: ({ _id = '', name = '' }) => <Link {...jobPath(_id)}>{name}</Link>,
    field: 'name',
  },
  {
    key: 'status',
    header: 'State',
    cell: ({ status = '' }) => <Badge tone={TONES[status] ?? 'neutral'}>{status}</Badge>,
    field: 'status',
  },
  { key: 'start', header: 'Started', cell: ({ metrics }) => <Time value={metrics?.start_time} /> },
];
