import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { useUrlState } from '~/app/url-state.ts';
import { useAct } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { listInput } from '~/ui/table/list-input.ts';
import { ListView } from '~/ui/table/list-page.tsx';
import { AdminFrame } from '../admin-frame.tsx';

type Application = Outputs['applications']['getApplications']['results'][number];

/** The applications of the platform: start, stop and restart. */
export function ApplicationsPage() {
  const [url] = useUrlState();
  const may = useMay();
  const act = useAct(trpc.applications.getApplications.pathFilter());
  const input = listInput(url, 'name');
  const columns: Column<Application>[] = [
    {
      key: 'name',
      header: 'Name',
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
      key: 'model',
      header: 'Model',
      cell: ({ data }) => data.model ?? '',
      field: 'data.model',
    },
    {
      key: 'actions',
      header: 'Actions',
      cell: ({ data: { name }, metadata: { isActive } }) => (
        <span className="row">
          {!isActive && may('applications.startApplication') && (
            <Button
              aria-label={`Start ${name}`}
              onPress={() => act(() => api.applications.startApplication.mutate({ name }))}
            >
              Start
            </Button>
          )}
          {isActive && may('applications.restartApplication') && (
            <Button
              aria-label={`Restart ${name}`}
              onPress={() => act(() => api.applications.restartApplication.mutate({ name }))}
            >
              Restart
            </Button>
          )}
          {isActive && may('applications.stopApplication') && (
            <Button
              aria-label={`Stop ${name}`}
              onPress={() => act(() => api.applications.stopApplication.mutate({ name }))}
            >
              Stop
            </Button>
          )}
        </span>
      ),
    },
  ];
  return (
    <AdminFrame current="Applications">
      <ListView
        title="Applications"
        columns={columns}
        rowKey={({ data }) => data.name}
        path={trpc.applications.getApplications.pathKey()}
        input={input}
        read={async (skip, limit) => {
          const { results, total } = await api.applications.getApplications.query({
            queryOptions: { ...input, skip, limit },
          });
          return { rows: results, total };
        }}
        empty={<Empty title="There is no application" />}
      />
    </AdminFrame>
  );
}
