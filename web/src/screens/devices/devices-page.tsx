import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useRefetchOn } from '~/api/live/use-live.ts';
import { useMay } from '~/api/use-may.ts';
import { devicePath, reportPath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Button, LinkButton } from '~/ui/button.tsx';
import { Unread } from '~/ui/inputs/unread.tsx';
import { PermittedLink } from '~/ui/permitted-link.tsx';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { ListPage } from '~/ui/table/list-page.tsx';
import { sortOf } from '~/ui/table/sort.ts';
import { Time } from '~/ui/time.tsx';
import { scoreText, Verdict } from '../compliance/grade.tsx';
import { type BulkAction, BulkDialog } from './bulk-dialog.tsx';
import { DeviceState } from './device-state.tsx';
import { AddDevice } from './host/add-device.tsx';
import { groupNamesOf, useDeviceGroups } from './use-device-groups.ts';

type State = Outputs['configurationManager']['listDeviceStates'][number];
type Device = Outputs['configurationManager']['searchDevices']['list'][number] & {
  state?: State | undefined;
};

/** Fields of the list in which a text is sought, by their name in the address. */
const FIELDS = [
  { value: 'name', label: 'Name' },
  { value: 'address', label: 'Address' },
  { value: 'ostype', label: 'Platform' },
] as const;

/** Screen 8: the devices that the gateway and orchestrators report. */
export function DevicesPage() {
  const [{ q, sort, field, origin }] = useUrlState();
  const may = useMay();
  const [action, setAction] = useState<{ kind: BulkAction; names: readonly string[] }>();
  const [isAdding, setAdding] = useState(false);
  const groups = useDeviceGroups();
  const order = sortOf(sort);
  const chosen = FIELDS.find(({ value }) => value === field)?.value ?? 'name';
  const input = {
    ...(q && { filter: { [chosen]: q } }),
    ...(origin && { origins: [origin] }),
    ...(order && { sort: { [order.field]: order.order } }),
  };
  useRefetchOn(trpc.configurationManager.searchDevices.pathFilter(), ({ topic }) =>
    ['adapterUp', 'adapterDown', 'backupStored', 'complianceBatchFinished'].includes(topic),
  );
  const columns: Column<Device>[] = [
    ...COLUMNS,
    {
      key: 'groups',
      header: 'Groups',
      cell: ({ name }) => groupNamesOf(groups.data, name),
    },
  ];
  return (
    <>
      <ListPage
        title="Devices"
        actions={
          <>
            {may('configurationManager.listDeviceGroups') && (
              <LinkButton to="/device-groups">Device groups</LinkButton>
            )}
            {may('configurationManager.searchDeviceTemplates') && (
              <LinkButton to="/device-templates">Templates</LinkButton>
            )}
            {may('configurationManager.listBackupRuns') && (
              <LinkButton to="/backups">Fleet backups</LinkButton>
            )}
            {may('inventory.listSources') && (
              <LinkButton to="/inventory/sources">Inventory sources</LinkButton>
            )}
            {may('automationgateway.createHost') && (
              <Button variant="primary" onPress={() => setAdding(true)}>
                Add device
              </Button>
            )}
          </>
        }
        columns={columns}
        rowKey={({ name }) => name}
        path={trpc.configurationManager.searchDevices.pathKey()}
        input={input}
        request={{ options: input }}
        read={async (skip, limit) => {
          const { list, total } = await api.configurationManager.searchDevices.query({
            options: { ...input, start: skip, limit },
          });
          const states = await api.configurationManager.listDeviceStates.query({
            devices: list.map(({ name }) => name),
          });
          const byName = new Map(states.map((state) => [state.name, state]));
          return { rows: list.map((device) => ({ ...device, state: byName.get(device.name) })), total };
        }}
        filters={<Filters />}
        empty={
          <Empty title="There are no devices yet">
            <p>
              Devices can be added one by one, and come from inventory sources, from a CSV file, and from
              orchestrators, whose adapters are under{' '}
              <PermittedLink needs="adapters.listAdapters" to="/admin/adapters">
                Admin, Adapters
              </PermittedLink>
              .
            </p>
            {may('inventory.importCsv') && (
              <LinkButton to="/inventory/import" variant="primary">
                Import devices from CSV
              </LinkButton>
            )}
          </Empty>
        }
        bulk={(selected) => (
          <BulkButtons may={may} onChoose={(kind) => setAction({ kind, names: selected })} />
        )}
      />
      {isAdding && <AddDevice onClose={() => setAdding(false)} />}
      {action && <BulkDialog kind={action.kind} names={action.names} onClose={() => setAction(undefined)} />}
    </>
  );
}

function BulkButtons({
  may,
  onChoose,
}: {
  may: ReturnType<typeof useMay>;
  onChoose: (kind: BulkAction) => void;
}) {
  return (
    <>
      {may('configurationManager.isDeviceAlive') && (
        <Button onPress={() => onChoose('alive')}>Test whether they respond</Button>
      )}
      {may('configurationManager.backUpDevice') && (
        <Button onPress={() => onChoose('backup')}>Back up</Button>
      )}
      {may('configurationManager.addGroupDevices') && (
        <Button onPress={() => onChoose('group')}>Add to group</Button>
      )}
      {may('mop.runCommandDevices') && <Button onPress={() => onChoose('commands')}>Run commands</Button>}
      {may('automationgateway.deleteHost') && (
        <Button variant="danger" onPress={() => onChoose('delete')}>
          Delete
        </Button>
      )}
    </>
  );
}

/** Which field the text is sought in, and the origin. */
function Filters() {
  const [{ field = 'name', origin = '' }, setUrl] = useUrlState();
  const origins = useQuery(trpc.configurationManager.searchDevices.queryOptions({ options: { limit: 1 } }));
  const totals = origins.data?.totalByAdapter;
  return (
    <>
      <select
        className="input fit"
        aria-label="Field of the filter"
        value={field}
        onChange={(event) =>
          setUrl({ field: event.target.value === 'name' ? undefined : event.target.value })
        }
      >
        {FIELDS.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      {totals && (
        <select
          className="input fit"
          aria-label="Origin"
          value={origin}
          onChange={(event) => setUrl({ origin: event.target.value || undefined })}
        >
          <option value="">Every origin</option>
          {Object.entries(totals).map(([name, count]) => (
            <option key={name} value={name}>
              {name} ({count.toLocaleString('en')})
            </option>
          ))}
        </select>
      )}
      <Unread what="Origin" from={origins} />
    </>
  );
}

const COLUMNS: readonly Column<Device>[] = [
  {
    key: 'name',
    header: 'Name',
    sortField: 'name',
    cell: ({ name }) => <Link {...devicePath(name)}>{name}</Link>,
    field: 'name',
  },
  {
    key: 'state',
    header: 'State',
    cell: ({ status }) => <DeviceState status={status} />,
    field: 'status',
  },
  {
    key: 'platform',
    header: 'Platform',
    sortField: 'ostype',
    cell: ({ ostype }) => ostype || '–',
    field: 'ostype',
  },
  {
    key: 'address',
    header: 'Address',
    sortField: 'host',
    cell: ({ host }) => host ?? '–',
    field: 'host',
  },
  {
    key: 'backup',
    header: 'Last backup',
    width: '9rem',
    cell: ({ state }) => <Time value={state?.lastBackup?.date} />,
    field: 'state.lastBackup.date',
  },
  {
    key: 'grade',
    header: 'Grade',
    width: '9rem',
    cell: ({ state }) =>
      state?.lastReport ? (
        <Link {...reportPath(state.lastReport.id)}>
          <Verdict of={state.lastReport.grade} /> {scoreText(state.lastReport.score)}
        </Link>
      ) : (
        <span className="muted">not checked</span>
      ),
    field: 'state.lastReport.grade:Grade,state.lastReport.score:Score',
  },
  { key: 'port', header: 'Port', isNumber: true, cell: ({ port }) => port ?? '–', field: 'port' },
  {
    key: 'origin',
    header: 'Origin',
    sortField: 'origin',
    cell: ({ origin, origins = [] }) =>
      [origin, ...origins.filter((one) => one !== origin)].filter(Boolean).join(', '),
    field: 'origin',
  },
];
