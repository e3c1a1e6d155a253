import { Link } from '@tanstack/react-router';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { packagePath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { PathLink } from '~/ui/page.tsx';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { listInput } from '~/ui/table/list-input.ts';
import { ListPage } from '~/ui/table/list-page.tsx';
import { Time } from '~/ui/time.tsx';
import { OperatorCommands } from './operator-commands.tsx';

type Package = Outputs['adapterModels']['listPackages']['results'][number];

const COLUMNS: Column<Package>[] = [
  {
    key: 'type',
    header: 'Type',
    cell: ({ type }) => <Link {...packagePath(type)}>{type}</Link>,
    field: 'type',
  },
  {
    key: 'package',
    header: 'Package',
    cell: ({ package: name }) => name,
    field: 'package',
  },
  {
    key: 'version',
    header: 'Version',
    cell: ({ version }) => version,
    field: 'version',
  },
  {
    key: 'license',
    header: 'License',
    cell: ({ license }) => license,
    field: 'license',
  },
  {
    key: 'tasks',
    header: 'Tasks',
    isNumber: true,
    cell: ({ taskCount }) => taskCount,
    field: 'taskCount',
  },
  {
    key: 'created',
    header: 'Added',
    cell: ({ created }) => <Time value={created} />,
    field: 'created',
  },
];

/** The adapter packages that the operator added to this installation. */
export function PackagesPage() {
  const [url] = useUrlState();
  const input = listInput(url, 'type');
  return (
    <ListPage
      title="Adapter packages"
      pathTo={<PathLink to="/integrations">Integrations</PathLink>}
      columns={COLUMNS}
      rowKey={({ type }) => type}
      path={trpc.adapterModels.listPackages.pathKey()}
      input={input}
      read={async (skip, limit) => {
        const { results, total } = await api.adapterModels.listPackages.query({
          queryOptions: { ...input, skip, limit },
        });
        return { rows: results, total };
      }}
      empty={
        <Empty title="No adapter package yet">
          <p>
            A package holds third-party code, so that only the operator adds one, on the host of the service:
          </p>
          <OperatorCommands commands={['check SOURCE', 'add SOURCE']} />
        </Empty>
      }
    />
  );
}
