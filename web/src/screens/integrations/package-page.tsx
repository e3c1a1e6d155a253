import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { usePathParam } from '~/app/routes.tsx';
import { Details } from '~/ui/details.tsx';
import { LoadedPage, PathLink } from '~/ui/page.tsx';
import { Empty, QueryView } from '~/ui/states.tsx';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { Time } from '~/ui/time.tsx';
import { AdapterProcess } from './adapter-process.tsx';
import { OperatorCommands } from './operator-commands.tsx';

type Package = Outputs['adapterModels']['getPackage'];
type Task = Package['tasks'][number];

/** What the loss of a process means for a call of a task. */
const AFTER_A_LOSS: Record<Task['effect'], string> = {
  read: 'reads, is retried',
  keyed: 'is called again',
  unsafe: 'is not called again',
};

const COLUMNS: Column<Task>[] = [
  { key: 'name', header: 'Name', cell: ({ name }) => <code>{name}</code> },
  { key: 'summary', header: 'Summary', cell: ({ summary }) => summary },
  {
    key: 'inputs',
    header: 'Inputs',
    cell: ({ inputs }) => inputs.map(({ name, required }) => `${name}${required ? '' : '?'}`).join(', '),
  },
  { key: 'effect', header: 'After a lost process', cell: ({ effect }) => AFTER_A_LOSS[effect] },
];

/** An adapter package: what it is, its adapters with their processes, its methods, and what the operator can do. */
export function PackagePage() {
  const type = usePathParam('type');
  const found = useQuery(trpc.adapterModels.getPackage.queryOptions({ type }));
  return (
    <LoadedPage
      query={found}
      title={type}
      path={
        <>
          <PathLink to="/integrations">Integrations</PathLink> /{' '}
          <PathLink to="/adapter-packages">Adapter packages</PathLink>
        </>
      }
    >
      {(data) => (
        <>
          <div className="columns">
            <section className="card" aria-label="Package">
              <h2>Package</h2>
              <Details
                entries={[
                  ['Name', data.package],
                  ['Version', data.version],
                  ['License', data.license],
                  ['Added', <Time key="added" value={data.created} />],
                  ['Methods for devices', data.brokers.join(', ')],
                  ['SHA-256 of its files', <code key="digest">{data.digest}</code>],
                ]}
              />
            </section>
            <section className="card" aria-label="On the host">
              <h2>On the host</h2>
              <p>Only the operator adds, replaces and removes packages:</p>
              <OperatorCommands commands={['list', `add ${data.package}`, `remove ${type}`]} />
              <p>Another version takes effect with the next restart of its adapters.</p>
            </section>
          </div>
          <Adapters type={type} name={data.package} />
          <DataTable label="Methods" columns={COLUMNS} rows={data.tasks} rowKey={({ name }) => name} />
        </>
      )}
    </LoadedPage>
  );
}

/** Milliseconds after which the processes are looked at again. */
const REFRESH_MS = 3000;

function Adapters({ type, name }: { type: string; name: string }) {
  const may = useMay();
  const background = { trpc: { context: { background: true } }, refetchInterval: REFRESH_MS };
  const health = useQuery(trpc.health.getAdapters.queryOptions({}, background));
  return (
    <section aria-label="Adapters of the package">
      <h2>Adapters</h2>
      <QueryView query={health}>
        {({ results }) => {
          const own = results.filter(({ package_id: id }) => id === name || id === type);
          return own.length === 0 ? (
            <Empty title="No adapter of this package yet">
              <p>An adapter is the package with a connection: a host and credentials.</p>
              {may('adapters.listAdapters') && <Link to="/admin/adapters">Import an adapter</Link>}
            </Empty>
          ) : (
            <div className="columns">
              {own.map((one) => (
                <AdapterProcess key={one.id} adapter={one} />
              ))}
            </div>
          );
        }}
      </QueryView>
    </section>
  );
}
