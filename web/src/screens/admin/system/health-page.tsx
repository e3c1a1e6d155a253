import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { IN_BACKGROUND, type Outputs, trpc } from '~/api/client.ts';
import { gitRemotePath, providerPath, sourcePath } from '~/app/paths.ts';
import { Badge, type Tone } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { Details } from '~/ui/details.tsx';
import { durationText } from '~/ui/quantities.ts';
import { QueryView } from '~/ui/states.tsx';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { Time } from '~/ui/time.tsx';
import { AdminFrame } from '../admin-frame.tsx';
import { HEALTH, useTroubles } from './use-troubles.ts';

type Part = Outputs['health']['getApplications']['results'][number];
type Connection = Outputs['health']['getConnections']['results'][number];

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
  const connections = useQuery(trpc.health.getConnections.queryOptions({}, background));
  const all = [readiness, server, system, applications, adapters, connections];
  const troubles = useTroubles();
  return (
    <AdminFrame
      current="Health"
      actions={<Button onPress={() => void Promise.all(all.map((one) => one.refetch()))}>Read again</Button>}
    >
      {troubles.length > 0 && (
        <section className="note" data-tone="bad" aria-label="What is wrong">
          <ul>
            {troubles.map(({ text, page }) => (
              <li key={text}>{page === HEALTH ? text : <Link to={page}>{text}</Link>}</li>
            ))}
          </ul>
        </section>
      )}
      {connections.data && connections.data.total > 0 && (
        <>
          <h2>What cannot be reached</h2>
          <DataTable
            label="What cannot be reached"
            columns={CONNECTIONS}
            rows={connections.data.results}
            rowKey={({ id }) => id}
          />
        </>
      )}
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

const CONNECTIONS: Column<Connection>[] = [
  { key: 'kind', header: 'Kind', cell: ({ kind }) => kind },
  {
    key: 'name',
    header: 'Name',
    cell: ({ kind, id, name }) => <Link {...pageOf(kind, id)}>{name}</Link>,
  },
  { key: 'since', header: 'Fails since', cell: ({ since }) => <Time value={since} /> },
  { key: 'error', header: 'Why', wraps: true, cell: ({ lastError }) => lastError ?? '–' },
];

/** The page on which a connection is corrected. */
const pageOf = (kind: Connection['kind'], id: string) =>
  ({
    'notification channel': { to: '/admin/notifications', search: { tab: 'channels' } } as const,
    'git remote': gitRemotePath(id),
    'sign-in provider': providerPath(id),
    'inventory source': sourcePath(id),
    'secret provider': { to: '/admin/secrets' } as const,
  })[kind];

const COLUMNS: Column<Part>[] = [
  { key: 'id', header: 'Name', cell: ({ id }) => id },
  { key: 'state', header: 'State', cell: ({ state }) => <State of={state} /> },
  {
    key: 'connection',
    header: 'Connection',
    cell: ({ connection }) => (connection.state === 'UNKNOWN' ? '–' : <State of={connection.state} />),
  },
  { key: 'version', header: 'Version', cell: ({ version }) => version },
  { key: 'uptime', header: 'Uptime', isNumber: true, cell: ({ uptime }) => durationText(uptime * 1000) },
  {
    key: 'detail',
    header: 'Details',
    wraps: true,
    cell: ({ description, process }) => process?.detail ?? description,
  },
];
