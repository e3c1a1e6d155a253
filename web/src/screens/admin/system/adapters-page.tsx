import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, IN_BACKGROUND, type Outputs, trpc } from '~/api/client.ts';
import { useRefetchOn } from '~/api/live/use-live.ts';
import { useMay } from '~/api/use-may.ts';
import { useUrlState } from '~/app/url-state.ts';
import { BulkRun } from '~/ui/actions/bulk-run.tsx';
import { useAct } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { ActionMenu, type MenuAction } from '~/ui/overlays/menu.tsx';
import { showProblem, showToast } from '~/ui/overlays/toast.tsx';
import { Empty } from '~/ui/states.tsx';
import { saveFile } from '~/ui/table/csv.ts';
import type { Column } from '~/ui/table/data-table.tsx';
import { listInput } from '~/ui/table/list-input.ts';
import { ListView } from '~/ui/table/list-page.tsx';
import { AdminFrame } from '../admin-frame.tsx';
import { ChangeAdapter, DeleteAdapter, ImportAdapter } from './adapter-dialogs.tsx';

type Adapter = Outputs['adapters']['listAdapters']['results'][number];

/** The adapters: whether each runs, its connection test, start and stop. */
export function AdaptersPage() {
  const [url] = useUrlState();
  const may = useMay();
  const [tested, setTested] = useState<readonly string[]>();
  const [isImporting, setImporting] = useState(false);
  const [deleted, setDeleted] = useState<string>();
  const [changed, setChanged] = useState<string>();
  const actionsOf = useActions(setDeleted);
  const input = listInput(url, 'name', { field: 'name', order: 1 });
  useRefetchOn(trpc.adapters.listAdapters.pathFilter(), ({ topic }) => topic.startsWith('adapter'));
  const connectionOf = useConnections();
  const columns: Column<Adapter>[] = [
    ...COLUMNS,
    {
      key: 'connection',
      header: 'Its system',
      cell: ({ data, metadata }) => (
        <Connection state={metadata.isActive ? connectionOf(data.name) : undefined} />
      ),
    },
    {
      key: 'actions',
      header: 'Actions',
      cell: ({ data, metadata }) => {
        const test = { label: 'Test connection', onAction: () => setTested([data.name]) };
        const actions = [
          ...(may('adapters.testAdapter') ? [test] : []),
          ...(may('adapters.replaceAdapter')
            ? [{ label: 'Change', onAction: () => setChanged(data.name) }]
            : []),
          ...actionsOf(data.name, metadata.isActive),
        ];
        return (
          actions.length > 0 && (
            <ActionMenu label="Actions" name={`Actions of ${data.name}`} actions={actions} />
          )
        );
      },
    },
  ];
  return (
    <AdminFrame
      current="Adapters"
      actions={
        may('adapters.importAdapter') && <Button onPress={() => setImporting(true)}>Import adapter</Button>
      }
    >
      <ListView
        title="Adapters"
        columns={columns}
        rowKey={({ data }) => data.name}
        path={trpc.adapters.listAdapters.pathKey()}
        input={input}
        read={async (skip, limit) => {
          const { results, total } = await api.adapters.listAdapters.query({
            queryOptions: { ...input, skip, limit },
          });
          return { rows: results, total };
        }}
        empty={
          <Empty
            title="There is no adapter yet"
            next={
              may('adapters.importAdapter') && {
                label: 'Import the first one',
                act: () => setImporting(true),
              }
            }
          >
            <p>An adapter connects one system. Import its configuration here.</p>
          </Empty>
        }
        {...(may('adapters.testAdapter') && {
          bulk: (selected) => <Button onPress={() => setTested(selected)}>Test connection</Button>,
        })}
      />
      {tested && <TestAdapters names={tested} onClose={() => setTested(undefined)} />}
      {isImporting && <ImportAdapter onClose={() => setImporting(false)} />}
      {changed !== undefined && <ChangeAdapter name={changed} onClose={() => setChanged(undefined)} />}
      {deleted !== undefined && <DeleteAdapter name={deleted} onClose={() => setDeleted(undefined)} />}
    </AdminFrame>
  );
}

/** Returns a function that says whether the system of an adapter answers, by the last look of the service. */
function useConnections() {
  const may = useMay();
  const health = useQuery(
    trpc.health.getAdapters.queryOptions(
      { queryOptions: { limit: 500 } },
      { ...IN_BACKGROUND, enabled: may('health.getAdapters') },
    ),
  );
  useRefetchOn(trpc.health.getAdapters.pathFilter(), ({ topic }) => topic.startsWith('adapter'));
  return (name: string) => health.data?.results.find(({ id }) => id === name)?.connection.state;
}

function Connection({ state }: { state: string | undefined }) {
  if (state === 'ONLINE') return <Badge tone="good">answers</Badge>;
  if (state === 'OFFLINE') return <Badge tone="bad">does not answer</Badge>;
  return '–';
}

/** What can be done with one adapter. */
function useActions(onDelete: (name: string) => void) {
  const may = useMay();
  const act = useAct(trpc.adapters.listAdapters.pathFilter());
  return (name: string, isActive: boolean): MenuAction[] => {
    const actions: (MenuAction & { isAllowed: boolean })[] = [
      {
        label: 'Start',
        isAllowed: may('adapters.startAdapter') && !isActive,
        onAction: () => void act(() => api.adapters.startAdapter.mutate({ name })),
      },
      {
        label: 'Stop',
        isAllowed: may('adapters.stopAdapter') && isActive,
        onAction: () => void act(() => api.adapters.stopAdapter.mutate({ name })),
      },
      {
        label: 'Restart',
        isAllowed: may('adapters.restartAdapter') && isActive,
        onAction: () => void act(() => api.adapters.restartAdapter.mutate({ name })),
      },
      {
        label: 'Read its devices again',
        isAllowed: may('adapters.syncAdapter') && isActive,
        onAction: () => void act(() => api.adapters.syncAdapter.mutate({ name })),
      },
      { label: 'Export', isAllowed: may('adapters.exportAdapter'), onAction: () => void exportAdapter(name) },
      { label: 'Delete', isAllowed: may('adapters.deleteAdapter'), onAction: () => onDelete(name) },
    ];
    return actions.filter(({ isAllowed }) => isAllowed).map(({ label, onAction }) => ({ label, onAction }));
  };
}

async function exportAdapter(name: string) {
  try {
    const adapter = await api.adapters.exportAdapter.query({ name });
    saveFile(`${name}.json`, JSON.stringify(adapter, null, 2), 'application/json');
    showToast('The file holds no secrets: enter them again after an import.');
  } catch (error) {
    showProblem(error);
  }
}

const TestAdapters = ({ names, onClose }: { names: readonly string[]; onClose: () => void }) => (
  <BulkRun
    title="Test connection"
    action={`Test ${names.length} ${names.length === 1 ? 'adapter' : 'adapters'}`}
    intro="Each adapter asks its system once. Nothing is changed there."
    items={names}
    run={async (name, signal) => {
      const { ok, detail, latencyMs } = await api.adapters.testAdapter.mutate({ name }, { signal });
      return { isGood: ok, text: `${detail} (${Math.round(latencyMs)} ms)` };
    }}
    onClose={onClose}
  />
);

const COLUMNS: Column<Adapter>[] = [
  {
    key: 'name',
    header: 'Name',
    sortField: 'name',
    cell: ({ data }) => data.name,
    field: 'data.name',
  },
  {
    key: 'state',
    header: 'State',
    cell: ({ metadata }) => (
      <Badge tone={metadata.isActive ? 'good' : 'neutral'}>{metadata.isActive ? 'runs' : 'stopped'}</Badge>
    ),
    field: 'metadata.isActive:Active',
  },
  {
    key: 'type',
    header: 'Type',
    cell: ({ data }) => data.properties.type,
    field: 'data.properties.type',
  },
  {
    key: 'model',
    header: 'Model',
    cell: ({ data }) => data.model,
    field: 'data.model',
  },
];
