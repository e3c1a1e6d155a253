import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { problemOf } from '~/api/problem.ts';
import { useMay } from '~/api/use-may.ts';
import { useNames } from '~/api/use-names.ts';
import { pageOfAll } from '~/api/use-pages.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { useEdits } from '~/ui/form/use-edits.ts';
import { ConfirmDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { Empty, ProblemNote, QueryView } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { ListView } from '~/ui/table/list-page.tsx';
import { Time } from '~/ui/time.tsx';
import { AdminFrame } from '../admin-frame.tsx';
import { countsText, RetentionFields, retentionDraftOf, retentionOf } from './retention-fields.tsx';

type Settings = Outputs['retention']['getSettings'];
type Run = Outputs['retention']['listRuns']['results'][number];
type Preview = Outputs['retention']['preview'];

/** How long documents are kept, what a run would delete, and what runs have deleted. */
export function RetentionPage() {
  const settings = useQuery(trpc.retention.getSettings.queryOptions({}));
  return (
    <AdminFrame current="Retention" actions={<RunNow />}>
      <QueryView query={settings} loading="Loading the settings">
        {(data) => (
          <>
            <SettingsForm stored={data} />
            <Runs />
          </>
        )}
      </QueryView>
    </AdminFrame>
  );
}

function SettingsForm({ stored }: { stored: Settings }) {
  const may = useMay();
  const refresh = useRefresh(trpc.retention.getSettings.pathFilter());
  const [draft, change, clear] = useEdits(retentionDraftOf(stored));
  const [preview, setPreview] = useState<Preview>();
  const [pending, setPending] = useState<'preview' | 'save'>();
  const [error, setError] = useState<unknown>();
  const work = async (kind: 'preview' | 'save') => {
    setPending(kind);
    setError(undefined);
    try {
      const settings = retentionOf(draft);
      if (kind === 'preview') setPreview(await api.retention.preview.mutate({ settings }));
      else {
        showToast((await api.retention.replaceSettings.mutate(settings)).message);
        await refresh();
        clear();
      }
    } catch (failure) {
      setError(failure);
    } finally {
      setPending(undefined);
    }
  };
  return (
    <form
      className="card"
      aria-label="Retention"
      onSubmit={(event) => {
        event.preventDefault();
        void work('save');
      }}
    >
      <p className="muted">
        Documents that are older, or more than this number, are archived and deleted once a day, for the
        account that saved this. If both are empty, they are kept for ever.
      </p>
      <RetentionFields
        draft={draft}
        onChange={(edit) => {
          change(edit);
          setPreview(undefined);
        }}
      />
      {preview && (
        <p className="note" role="status">
          A run would delete: {countsText(preview.counts)}.
        </p>
      )}
      {error !== undefined && <ProblemNote problem={problemOf(error)} />}
      <div className="row">
        {may('retention.preview') && (
          <Button onPress={() => void work('preview')} isPending={pending === 'preview'}>
            Count what a run would delete
          </Button>
        )}
        {may('retention.replaceSettings') && (
          <Button type="submit" variant="primary" isPending={pending === 'save'}>
            Save
          </Button>
        )}
      </div>
    </form>
  );
}

function RunNow() {
  const may = useMay();
  const refresh = useRefresh(trpc.retention.listRuns.pathFilter());
  const [isAsking, setAsking] = useState(false);
  if (!may('retention.run')) return null;
  return (
    <>
      <Button variant="danger" onPress={() => setAsking(true)}>
        Run now
      </Button>
      {isAsking && (
        <ConfirmDialog
          action="Archive and delete now"
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            await api.retention.run.mutate({});
            await refresh();
          }}
        >
          What the stored settings do not keep is written to the archive and permanently deleted.
        </ConfirmDialog>
      )}
    </>
  );
}

/** The newest runs, which the procedure returns all at once. */
function Runs() {
  const nameOf = useNames();
  const columns: Column<Run>[] = [
    {
      key: 'started',
      header: 'Started',
      cell: ({ started }) => <Time value={started} />,
      field: 'started',
    },
    {
      key: 'status',
      header: 'State',
      cell: ({ status }) => (
        <Badge tone={status === 'running' ? 'info' : status === 'complete' ? 'good' : 'bad'}>{status}</Badge>
      ),
      field: 'status',
    },
    {
      key: 'trigger',
      header: 'Started by',
      cell: ({ trigger }) => (trigger === 'manual' ? 'a user' : 'the schedule'),
      field: 'trigger',
    },
    {
      key: 'account',
      header: 'For',
      cell: ({ account }) => nameOf(account),
      field: 'account',
    },
    {
      key: 'deleted',
      header: 'Deleted',
      cell: ({ deleted }) => countsText(deleted),
      field: 'deleted',
    },
    {
      key: 'error',
      header: 'Why',
      cell: ({ error }) => error ?? '',
      field: 'error',
    },
    {
      key: 'finished',
      header: 'Ended',
      cell: ({ finished }) => <Time value={finished} />,
      field: 'finished',
    },
  ];
  return (
    <>
      <h2>Runs</h2>
      <ListView
        title="Retention runs"
        columns={columns}
        rowKey={({ _id }) => _id}
        path={trpc.retention.listRuns.pathKey()}
        input={{}}
        read={(skip) => pageOfAll(api.retention.listRuns.query({}), skip)}
        hasTextFilter={false}
        runs="retentionRun"
        empty={
          <Empty title="Nothing has been deleted yet">
            <p>Set how long documents are kept: a daily run then archives and deletes what is older.</p>
          </Empty>
        }
      />
    </>
  );
}
