import { Link } from '@tanstack/react-router';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useRunEvents } from '~/api/live/use-runs.ts';
import { useMay } from '~/api/use-may.ts';
import { sourcePath } from '~/app/paths.ts';
import { Badge } from '~/ui/badge.tsx';
import { LinkButton } from '~/ui/button.tsx';
import { NamedList } from '~/ui/named-list.tsx';
import { PathLink } from '~/ui/page.tsx';
import { ScheduleText } from '~/ui/schedule/schedule-text.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { Time } from '~/ui/time.tsx';
import { errorText } from './run-progress.tsx';
import { SourceForm, typeName } from './source-form.tsx';

type Source = Outputs['inventory']['listSources']['results'][number];

const COLUMNS: Column<Source>[] = [
  {
    key: 'name',
    header: 'Name',
    sortField: 'name',
    cell: ({ _id, name }) => <Link {...sourcePath(_id)}>{name}</Link>,
    field: 'name',
  },
  {
    key: 'state',
    header: 'State',
    wraps: ({ lastError }) => Boolean(lastError),
    cell: (source) => (
      <>
        <SourceState source={source} /> {source.lastError && errorText(source.lastError)}
      </>
    ),
    field: 'lastError.message:Last error',
  },
  { key: 'type', header: 'Type', cell: ({ type }) => typeName(type), field: 'type' },
  {
    key: 'url',
    header: 'Address',
    cell: ({ url }) => url ?? 'text of its own',
    field: 'url',
  },
  {
    key: 'schedule',
    header: 'Schedule',
    wraps: ({ schedule }) => Boolean(schedule),
    cell: ({ schedule }) => <ScheduleText schedule={schedule} />,
    field: 'schedule',
  },
  {
    key: 'lastSync',
    header: 'Last read',
    cell: ({ lastSync }) => <Time value={lastSync} />,
    field: 'lastSync',
  },
];

/** How the newest run of a source ended. */
export function SourceState({ source: { lastError, lastSync } }: { source: Source }) {
  if (lastError) return <Badge tone="bad">failed</Badge>;
  return <Badge tone={lastSync ? 'good' : 'neutral'}>{lastSync ? 'read' : 'not read yet'}</Badge>;
}

/** The systems from which the inventory is filled. */
export function SourcesPage() {
  const may = useMay();
  useRunEvents('inventoryRun', trpc.inventory.listSources.pathFilter());
  return (
    <NamedList
      title="Inventory sources"
      pathTo={<PathLink to="/devices">Devices</PathLink>}
      columns={COLUMNS}
      rowKey={({ _id }) => _id}
      procedure={trpc.inventory.listSources}
      read={(queryOptions) => api.inventory.listSources.query({ queryOptions })}
      defaultSort={{ field: 'name', order: 1 }}
      empty={{
        title: 'There is no inventory source yet',
        text: 'A source is a system that knows your devices: NetBox, Nautobot, an Ansible inventory or a JSON document.',
      }}
      actions={may('inventory.importCsv') && <LinkButton to="/inventory/import">Import CSV</LinkButton>}
      create={{
        label: 'Create source',
        needs: 'inventory.createSource',
        dialog: (onClose) => <SourceForm onClose={onClose} />,
      }}
    />
  );
}
