import type { Outputs } from '~/api/client.ts';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { SaveCsv } from '~/ui/table/save-csv.tsx';

type Issue = Outputs['inventory']['getRun']['issues'][number];

const COLUMNS: Column<Issue>[] = [
  {
    key: 'name',
    header: 'Device',
    cell: ({ name }) => name || 'the source',
    text: ({ name }) => name,
  },
  { key: 'field', header: 'Field', cell: ({ field }) => field, text: ({ field }) => field },
  {
    key: 'message',
    header: 'Problem',
    wraps: true,
    cell: ({ message }) => message,
    text: ({ message }) => message,
  },
];

/** The problems of single devices; nothing when there are none. */
export function SourceIssues({ issues }: { issues: readonly Issue[] }) {
  if (issues.length === 0) return null;
  return (
    <>
      <div className="row">
        <h2>Issues</h2>
        <SaveCsv name="issues" columns={COLUMNS} rows={issues} />
      </div>
      <DataTable
        label="Issues"
        columns={COLUMNS}
        rows={issues}
        rowKey={({ name, field, message }) => `${name} ${field} ${message}`}
      />
    </>
  );
}
