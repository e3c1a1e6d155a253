import { useQuery } from '@tanstack/react-query';
import { type Outputs, trpc } from '~/api/client.ts';
import { Empty, QueryView } from '~/ui/states.tsx';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { visibleText } from '~/ui/visible-text.ts';

type Lack = Outputs['automationStudio']['listMissing']['data'][number];

const COLUMNS: Column<Lack>[] = [
  { key: 'name', header: 'Name', cell: ({ name }) => visibleText(name) },
  {
    key: 'kind',
    header: 'Kind',
    cell: ({ kind, type }) => visibleText([kind, type].filter(Boolean).join(' ')),
  },
  { key: 'message', header: 'What to do', cell: ({ message }) => visibleText(message) },
  { key: 'uses', header: 'Uses', isNumber: true, cell: ({ uses }) => uses },
  {
    key: 'usedBy',
    header: 'Used by',
    cell: ({ usedBy }) =>
      visibleText(usedBy.map(({ name, task }) => (task ? `${name} (${task})` : name)).join(', ')),
  },
];

/** What the components of a project need and the platform lacks. */
export function Missing({ projectId }: { projectId: string }) {
  const missing = useQuery(trpc.automationStudio.listMissing.queryOptions({ projectId }));
  return (
    <QueryView query={missing} loading="Looking for what is missing">
      {({ data }) =>
        data.length === 0 ? (
          <Empty title="Nothing is missing">
            <p>Everything that the components of this project use is here.</p>
          </Empty>
        ) : (
          <DataTable
            label="Missing"
            columns={COLUMNS}
            rows={data}
            rowKey={({ kind, type, name }) => `${kind} ${type} ${name}`}
          />
        )
      }
    </QueryView>
  );
}
