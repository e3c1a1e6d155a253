import { useQuery } from '@tanstack/react-query';
import { type Outputs, trpc } from '~/api/client.ts';
import { usePathParam } from '~/app/routes.tsx';
import { LoadedPage, PathLink } from '~/ui/page.tsx';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';

type Task = Outputs['adapterModels']['getCatalogue']['tasks'][number];

const COLUMNS: Column<Task>[] = [
  { key: 'name', header: 'Name', cell: ({ name }) => <code>{name}</code> },
  { key: 'summary', header: 'Summary', cell: ({ summary }) => summary },
  {
    key: 'inputs',
    header: 'Inputs',
    cell: ({ inputs }) => inputs.map(({ name, required }) => `${name}${required ? '' : '?'}`).join(', '),
  },
  { key: 'output', header: 'Output', cell: ({ output }) => output.name },
];

/** The tasks of one kind of adapter. */
export function CataloguePage() {
  const type = usePathParam('type');
  const catalogue = useQuery(trpc.adapterModels.getCatalogue.queryOptions({ type }));
  return (
    <LoadedPage
      query={catalogue}
      title={type}
      path={
        <>
          <PathLink to="/integrations">Integrations</PathLink> /{' '}
          <PathLink to="/adapter-catalogues">Adapter catalogues</PathLink>
        </>
      }
    >
      {({ title, tasks }) => (
        <>
          <p>{title}</p>
          <DataTable label="Tasks" columns={COLUMNS} rows={tasks} rowKey={({ name }) => name} />
        </>
      )}
    </LoadedPage>
  );
}
