import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { pageOfAll } from '~/api/use-pages.ts';
import { gitRunPath } from '~/app/paths.ts';
import { usePathParam } from '~/app/routes.tsx';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { Details } from '~/ui/details.tsx';
import { ConfirmDialog } from '~/ui/overlays/dialog.tsx';
import { LoadedPage } from '~/ui/page.tsx';
import { ScheduleText } from '~/ui/schedule/schedule-text.tsx';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { ListView } from '~/ui/table/list-page.tsx';
import { Time } from '~/ui/time.tsx';
import { AdminPath } from '../admin-frame.tsx';
import { kindsText, RemoteForm } from './remote-form.tsx';
import { StartRun } from './start-run.tsx';

type Remote = Outputs['git']['getRemote'];
type Run = Outputs['git']['listRuns']['results'][number];

/** One remote with its pushes and pulls. */
export function RemotePage() {
  const id = usePathParam('remoteId');
  const remote = useQuery(trpc.git.getRemote.queryOptions({ id }));
  return (
    <LoadedPage
      query={remote}
      title="Git remote"
      titleOf={({ name }) => name}
      path={<AdminPath to="/admin/git" label="Git" />}
      actions={(data) => <Actions remote={data} />}
    >
      {(data) => (
        <>
          <section className="card" aria-label="Summary">
            <Details
              entries={[
                [
                  'State',
                  <Badge key="state" tone={data.enabled === false ? 'neutral' : 'good'}>
                    {data.enabled === false ? 'disabled' : 'enabled'}
                  </Badge>,
                ],
                ['Repository', data.url],
                ['Branch', data.branch],
                ['Folder', data.path ?? ''],
                ['Direction', data.direction],
                ['Documents', kindsText(data.kinds)],
                [
                  'Schedule',
                  data.schedule && (
                    <>
                      {data.scheduledAction ?? (data.direction === 'pull' ? 'pull' : 'push')}{' '}
                      <ScheduleText key="schedule" schedule={data.schedule} />
                    </>
                  ),
                ],
                ['Next run', data.nextRunAt && <Time key="next" value={data.nextRunAt} />],
                ['Last start', data.lastResult ?? ''],
                ['Credential', data.credential?.token || data.credential?.privateKey ? 'stored' : 'none'],
              ]}
            />
          </section>
          <Runs id={id} />
        </>
      )}
    </LoadedPage>
  );
}

function Actions({ remote }: { remote: Remote }) {
  const may = useMay();
  const navigate = useNavigate();
  const refresh = useRefresh(trpc.git.listRemotes.pathFilter());
  const [open, setOpen] = useState<'push' | 'pull' | 'edit' | 'delete'>();
  const close = () => setOpen(undefined);
  const { _id: id, name, direction } = remote;
  return (
    <>
      {direction !== 'pull' && may('git.push') && <Button onPress={() => setOpen('push')}>Push</Button>}
      {direction !== 'push' && may('git.pull') && <Button onPress={() => setOpen('pull')}>Pull</Button>}
      {may('git.updateRemote') && <Button onPress={() => setOpen('edit')}>Change</Button>}
      {may('git.deleteRemote') && (
        <Button variant="danger" onPress={() => setOpen('delete')}>
          Delete
        </Button>
      )}
      {(open === 'push' || open === 'pull') && <StartRun remoteId={id} action={open} onClose={close} />}
      {open === 'edit' && <RemoteForm remote={remote} onClose={close} />}
      {open === 'delete' && (
        <ConfirmDialog
          action="Delete remote"
          onClose={close}
          onConfirm={async () => {
            await api.git.deleteRemote.mutate({ id });
            await navigate({ to: '/admin/git' });
            await refresh();
          }}
        >
          The remote “{name}” is deleted with its history of runs. The repository stays as it is.
        </ConfirmDialog>
      )}
    </>
  );
}

/** The state of a push or pull. */
export function GitRunState({
  run: { status, dryRun },
  conflicts = 0,
}: {
  run: Pick<Run, 'status' | 'dryRun'>;
  conflicts?: number;
}) {
  const tone = status === 'running' ? 'info' : status === 'complete' ? 'good' : 'bad';
  return (
    <>
      <Badge tone={tone}>{status}</Badge> {dryRun && <Badge>dry run</Badge>}{' '}
      {conflicts > 0 && (
        <Badge tone="warn">{conflicts === 1 ? '1 conflict' : `${conflicts} conflicts`}</Badge>
      )}
    </>
  );
}

const COLUMNS: Column<Run>[] = [
  {
    key: 'started',
    header: 'Started',
    cell: ({ runId, started }) => (
      <Link {...gitRunPath(runId)}>
        <Time value={started} />
      </Link>
    ),
    field: 'started',
  },
  { key: 'action', header: 'Action', cell: ({ action }) => action, field: 'action' },
  {
    key: 'state',
    header: 'State',
    cell: (run) => <GitRunState run={run} conflicts={run.counts.conflicts} />,
    field: 'status',
  },
  {
    key: 'branch',
    header: 'Branch',
    cell: ({ branch }) => branch,
    field: 'branch',
  },
  {
    key: 'changes',
    header: 'Documents changed',
    isNumber: true,
    cell: ({ counts }) => counts.changes,
    field: 'counts.changes,counts.conflicts,counts.issues',
  },
  { key: 'error', header: 'Why', wraps: true, cell: ({ error }) => error ?? '', field: 'error' },
  { key: 'ended', header: 'Ended', cell: ({ ended }) => <Time value={ended} />, field: 'ended' },
];

/** The newest pushes and pulls, which the procedure returns all at once. */
const Runs = ({ id }: { id: string }) => (
  <>
    <h2>Runs</h2>
    <ListView
      title="Runs"
      columns={COLUMNS}
      rowKey={({ runId }) => runId}
      path={trpc.git.listRuns.pathKey()}
      input={{ id }}
      request={{ id }}
      read={(skip) => pageOfAll(api.git.listRuns.query({ id }), skip)}
      hasTextFilter={false}
      runs="gitRun"
      empty={
        <Empty title="Nothing has been pushed or pulled yet">
          <p>Begin with a dry run: it writes nothing.</p>
        </Empty>
      }
    />
  </>
);
