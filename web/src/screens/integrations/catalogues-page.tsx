import { Link } from '@tanstack/react-router';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { cataloguePath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { PathLink } from '~/ui/page.tsx';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { CHANGED } from '~/ui/table/document-columns.tsx';
import { listInput } from '~/ui/table/list-input.ts';
import { ListPage } from '~/ui/table/list-page.tsx';

type Catalogue = Outputs['adapterModels']['listCatalogues']['results'][number];

const COLUMNS: Column<Catalogue>[] = [
  {
    key: 'type',
    header: 'Type',
    cell: ({ type }) => <Link {...cataloguePath(type)}>{type}</Link>,
    field: 'type',
  },
  { key: 'title', header: 'Title', cell: ({ title }) => title, field: 'title' },
  {
    key: 'origin',
    header: 'Comes from',
    cell: ({ origin }) => (origin === 'file' ? 'a file' : 'imported workflows'),
    field: 'origin',
  },
  {
    key: 'tasks',
    header: 'Tasks',
    isNumber: true,
    cell: ({ taskCount }) => taskCount,
    field: 'taskCount',
  },
  { ...CHANGED, key: 'updated' },
];

/** The tasks that adapters of other makers offer, from their files or from imported workflows. */
export function CataloguesPage() {
  const [url] = useUrlState();
  const input = listInput(url, 'type');
  return (
    <ListPage
      title="Adapter catalogues"
      pathTo={<PathLink to="/integrations">Integrations</PathLink>}
      columns={COLUMNS}
      rowKey={({ type }) => type}
      path={trpc.adapterModels.listCatalogues.pathKey()}
      input={input}
      read={async (skip, limit) => {
        const { results, total } = await api.adapterModels.listCatalogues.query({
          queryOptions: { ...input, skip, limit },
        });
        return { rows: results, total };
      }}
      empty={
        <Empty title="There is no catalogue yet">
          <p>
            A catalogue lists the tasks of a kind of adapter. It is learned from imported workflows or given
            as a file.
          </p>
        </Empty>
      }
    />
  );
}
