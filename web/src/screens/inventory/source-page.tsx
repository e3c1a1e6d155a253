import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useRunEvents } from '~/api/live/use-runs.ts';
import { useMay } from '~/api/use-may.ts';
import { pageOfAll } from '~/api/use-pages.ts';
import { sourceRunPath } from '~/app/paths.ts';
import { usePathParam } from '~/app/routes.tsx';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Button } from '~/ui/button.tsx';
import { Details } from '~/ui/details.tsx';
import { ConfirmDialog } from '~/ui/overlays/dialog.tsx';
import { showProblem } from '~/ui/overlays/toast.tsx';
import { LoadedPage, PathLink } from '~/ui/page.tsx';
import { NextTimes } from '~/ui/schedule/schedule-field.tsx';
import { ScheduleText } from '~/ui/schedule/schedule-text.tsx';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { ListView } from '~/ui/table/list-page.tsx';
import { Time } from '~/ui/time.tsx';
import { Preview } from './preview.tsx';
import { errorText, RunProgress } from './run-progress.tsx';
import { SourceForm, typeName } from './source-form.tsx';
import { SourceState } from './sources-page.tsx';

type Source = Outputs['inventory']['getSource'];
type Run = Outputs['inventory']['listRuns']['results'][number];

/** What happens to the devices that a source no longer has. */
const DELETES: Record<Source['deletes'], string> = {
  keep: 'are kept',
  mark: 'are marked as missing',
  remove: 'are removed',
};

const goneText = ({ deletes, maxGonePercent }: Source): string =>
  deletes !== 'remove'
    ? DELETES[deletes]
    : `${DELETES[deletes]}; more than ${maxGonePercent ?? 20} % of its devices only when confirmed`;

/** One source: what it is, what a run would change, and the history of its runs. */
export function SourcePage() {
  const id = usePathParam('sourceId');
  const source = useQuery(trpc.inventory.getSource.queryOptions({ id }));
  useRunEvents('inventoryRun', trpc.inventory.getSource.queryFilter({ id }));
  const [isPreviewing, setPreviewing] = useState(false);
  return (
    <LoadedPage
      query={source}
      title="Inventory source"
      titleOf={({ name }) => name}
      path={
        <>
          <PathLink to="/devices">Devices</PathLink> /{' '}
          <PathLink to="/inventory/sources">Inventory sources</PathLink>
        </>
      }
      actions={(data) => <Actions source={data} onPreview={() => setPreviewing(true)} />}
    >
      {(data) => (
        <>
          <section className="card" aria-label="Summary">
            <Details
              entries={[
                ['State', <SourceState key="state" source={data} />],
                ['Why', data.lastError && errorText(data.lastError)],
                ['Type', typeName(data.type)],
                ['Address', data.url ?? 'a text of its own'],
                ['Token', data.token ? 'stored' : 'none'],
                ['Devices that it no longer has', goneText(data)],
                ['Schedule', <ScheduleText key="schedule" schedule={data.schedule} />],
                ['Last read', <Time key="read" value={data.lastSync} />],
              ]}
            />
            {data.schedule && <NextTimes schedule={data.schedule} />}
          </section>
          {isPreviewing && <Preview source={data} onClose={() => setPreviewing(false)} />}
          <Runs id={data._id} />
        </>
      )}
    </LoadedPage>
  );
}

function Actions({ source, onPreview }: { source: Source; onPreview: () => void }) {
  const may = useMay();
  const navigate = useNavigate();
  const refresh = useRefresh(trpc.inventory.listSources.pathFilter(), trpc.inventory.listRuns.pathFilter());
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const { _id: id, name } = source;
  const sync = async () => {
    try {
      const { runId } = await api.inventory.syncSource.mutate({ id });
      await navigate(sourceRunPath(runId));
    } catch (error) {
      showProblem(error);
    }
  };
  return (
    <>
      {may('inventory.previewSource') && <Button onPress={onPreview}>Preview</Button>}
      {may('inventory.syncSource') && (
        <Button variant="primary" onPress={sync}>
          Sync now
        </Button>
      )}
      {may('inventory.updateSource') && <Button onPress={() => setOpen('edit')}>Change</Button>}
      {may('inventory.deleteSource') && (
        <Button variant="danger" onPress={() => setOpen('delete')}>
          Delete
        </Button>
      )}
      {open === 'edit' && <SourceForm source={source} onClose={() => setOpen(undefined)} />}
      {open === 'delete' && (
        <ConfirmDialog
          action="Delete source"
          onClose={() => setOpen(undefined)}
          onConfirm={async () => {
            await api.inventory.deleteSource.mutate({ id });
            await navigate({ to: '/inventory/sources' });
            await refresh();
          }}
        >
          The source “{name}” is deleted. Its devices stay, and can then be changed by hand.
        </ConfirmDialog>
      )}
    </>
  );
}

const number = (
  key: 'new' | 'changed' | 'gone' | 'unchanged' | 'issueCount',
  header: string,
): Column<Run> => ({
  key,
  header,
  isNumber: true,
  cell: (run) => run[key],
  field: key,
});

const COLUMNS: Column<Run>[] = [
  {
    key: 'started',
    header: 'Started',
    cell: ({ _id, started }) => (
      <Link {...sourceRunPath(_id)}>
        <Time value={started} />
      </Link>
    ),
    field: 'started',
  },
  {
    key: 'state',
    header: 'State',
    cell: (run) => <RunProgress run={run} />,
    field: 'status',
  },
  number('new', 'New'),
  number('changed', 'Changed'),
  number('gone', 'Gone'),
  number('unchanged', 'Unchanged'),
  number('issueCount', 'Issues'),
  {
    key: 'finished',
    header: 'Ended',
    cell: ({ finished }) => <Time value={finished} />,
    field: 'finished',
  },
];

/** The newest runs, which the procedure returns all at once. */
const Runs = ({ id }: { id: string }) => (
  <>
    <h2>Runs</h2>
    <ListView
      title="Runs"
      columns={COLUMNS}
      rowKey={({ _id }) => _id}
      path={trpc.inventory.listRuns.pathKey()}
      input={{ id }}
      request={{ id }}
      read={(skip) => pageOfAll(api.inventory.listRuns.query({ id }), skip)}
      hasTextFilter={false}
      runs="inventoryRun"
      empty={
        <Empty title="This source has never been read">
          <p>Preview it first: the preview stores nothing.</p>
        </Empty>
      }
    />
  </>
);
