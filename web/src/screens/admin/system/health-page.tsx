import { useQuery } from '@tanstack/react-query';
import { IN_BACKGROUND, type Outputs, trpc } from '~/api/client.ts';
import { Badge, type Tone } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { Details } from '~/ui/details.tsx';
import { QueryView } from '~/ui/states.tsx';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { durationText } from '~/ui/time.tsx';
import { visibleText } from '~/ui/visible-text.ts';
import { AdminFrame } from '../admin-frame.tsx';

type Part = Outputs['health']['getApplications']['results'][number];

/** How often the picture is read again, in milliseconds. */
const REFRESH_MS = 15_000;
const TONES: Record<string, Tone> = {
  ok: 'good',
  running: 'good',
  RUNNING: 'good',
  ONLINE: 'good',
  degraded: 'warn',
  STOPPED: 'neutral',
  stopped: 'neutral',
  unavailable: 'bad',
  DEAD: 'bad',
  OFFLINE: 'bad',
};
const State = ({ of }: { of: string }) => <Badge tone={TONES[of] ?? 'neutral'}>{of.toLowerCase()}</Badge>;
const megabytes = (bytes: number) => `${Math.round(bytes / 1_048_576).toLocaleString('en')} MB`;

/** Whether the service and its parts work. */
export function HealthPage() {
  const background = { ...IN_BACKGROUND, refetchInterval: REFRESH_MS };
  const readiness = useQuery(trpc.health.getReadiness.queryOptions({}, background));
  const server = useQuery(trpc.health.getServer.queryOptions({}, background));
  const system = useQuery(trpc.health.getSystem.queryOptions({}, background));
  const applications = useQuery(
    trpc.health.getApplications.queryOptions({ queryOptions: { limit: 500 } }, background),
  );
  const adapters = useQuery(
    trpc.health.getAdapters.queryOptions({ queryOptions: { limit: 500 } }, background),
  );
  const all = [readiness, server, system, applications, adapters];
  return (
    <AdminFrame
      current="Health"
      actions={<Button onPress={() => void Promise.all(all.map((one) => one.refetch()))}>Read again</Button>}
    >
      <div className="columns three">
        <section className="card" aria-label="Service">
          <h2>Service</h2>
          <QueryView query={readiness}>
            {({ status, checks }) => (
              <Details
                entries={[
                  ['Ready', <State key="status" of={status} />],
                  ...Object.entries(checks).map(([name, state]): [string, React.ReactNode] => [
                    name,
                    <State key={name} of={state} />,
                  ]),
                ]}
              />
            )}
          </QueryView>
        </section>
        <section className="card" aria-label="Process">
          <h2>Process</h2>
          <QueryView query={server}>
            {({ version, versions, memoryUsage, uptime, pid }) => (
              <Details
                entries={[
                  ['Version', version],
                  ['Node.js', versions.node],
                  ['Uptime', durationText(uptime * 1000)],
                  ['Memory', `${megabytes(memoryUsage.rss)}, heap ${megabytes(memoryUsage.heapUsed)}`],
                  ['Process', pid],
                ]}
              />
            )}
          </QueryView>
        </section>
        <section className="card" aria-label="Machine">
          <h2>Machine</h2>
          <QueryView query={system}>
            {({ release, arch, cpus, loadavg, freemem, totalmem, uptime }) => (
              <Details
                entries={[
                  ['System', `${release}, ${arch}`],
                  ['Processors', `${cpus.length}, load ${loadavg.map((load) => load.toFixed(2)).join(' ')}`],
                  ['Memory', `${megabytes(freemem)} free of ${megabytes(totalmem)}`],
                  ['Uptime', durationText(uptime * 1000)],
                ]}
              />
            )}
          </QueryView>
        </section>
      </div>
      <h2>Adapters and integrations</h2>
      <QueryView query={adapters} loading="Loading adapters">
        {({ results }) => (
          <DataTable label="Adapters" columns={COLUMNS} rows={results} rowKey={({ id }) => id} />
        )}
      </QueryView>
      <h2>Applications</h2>
      <QueryView query={applications} loading="Loading applications">
        {({ results }) => (
          <DataTable label="Applications" columns={COLUMNS} rows={results} rowKey={({ id }) => id} />
        )}
      </QueryView>
    </AdminFrame>
  );
}

const COLUMNS: Column<Part>[] = [
  { key: 'id', header: 'Name', cell: ({ id }) => visibleText(id) },
  { key: 'state', header: 'State', cell: ({ state }) => <State of={state} /> },
  {
    key: 'connection',
    header: 'Connection',
    cell: ({ connection }) => (connection.state === 'UNKNOWN' ? '–' : <State of={connection.state} />),
  },
  { key: 'version', header: 'Version', cell: ({ version }) => visibleText(version) },
  { key: 'uptime', header: 'Uptime', isNumber: true, cell: ({ uptime }) => durationText(uptime * 1000) },
  {
    key: 'detail',
    header: 'Details',
    wraps: true,
    cell: ({ description, process }) => visibleText(process?.detail ?? description),
  },
];
