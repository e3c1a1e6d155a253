import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { IN_BACKGROUND, type Outputs, trpc } from '~/api/client.ts';
import { useRunEvents } from '~/api/live/use-runs.ts';
import { useMay } from '~/api/use-may.ts';
import { gitRemotePath } from '~/app/paths.ts';
import { usePathParam } from '~/app/routes.tsx';
import { Button } from '~/ui/button.tsx';
import { Details } from '~/ui/details.tsx';
import { LoadedPage, PathLink } from '~/ui/page.tsx';
import { Announced } from '~/ui/states.tsx';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { Time } from '~/ui/time.tsx';
import { GitConflicts } from './git-conflicts.tsx';
import { kindsText } from './remote-form.tsx';
import { GitRunState } from './remote-page.tsx';
import { StartRun } from './start-run.tsx';

type Run = Outputs['git']['getRun'];
type Change = { outcome: string } & Run['documents']['new'][number];

const text = (key: 'outcome' | 'name' | 'path', header: string): Column<Change> => ({
  key,
  header,
  cell: (change) => change[key],
  text: (change) => change[key],
});
const CHANGES: Column<Change>[] = [
  text('name', 'Document'),
  { key: 'kind', header: 'Kind', cell: ({ kind }) => kindsText([kind]), text: ({ kind }) => kind },
  text('outcome', 'Outcome'),
  text('path', 'File'),
];

const COMMITS: Column<Run['commits'][number]>[] = [
  { key: 'message', header: 'Commit', wraps: true, cell: ({ message }) => message },
  { key: 'author', header: 'Author', cell: ({ author }) => author },
  { key: 'id', header: 'Id', cell: ({ id }) => <code>{id ? id.slice(0, 12) : 'not written'}</code> },
];

const ISSUES: Column<Run['issues'][number]>[] = [
  { key: 'path', header: 'File', cell: ({ path }) => path },
  { key: 'message', header: 'Problem', wraps: true, cell: ({ message }) => message },
];

/** One push or pull: what it did or would do, and its conflicts, which a further run settles. */
export function GitRunPage() {
  const runId = usePathParam('runId');
  const run = useQuery(trpc.git.getRun.queryOptions({ runId }, IN_BACKGROUND));
  useRunEvents('gitRun', trpc.git.getRun.queryFilter({ runId }));
  return (
    <LoadedPage
      query={run}
      title="Git run"
      titleOf={({ action, dryRun }) => `${action === 'push' ? 'Push' : 'Pull'}${dryRun ? ', dry run' : ''}`}
      path={
        <>
          <PathLink to="/admin">Admin</PathLink> /{' '}
          {run.data ? (
            <PathLink {...gitRemotePath(run.data.remote)}>Git remote</PathLink>
          ) : (
            <PathLink to="/admin/git">Git</PathLink>
          )}
        </>
      }
      actions={(data) => <Repeat run={data} />}
    >
      {(data) => <RunBody run={data} />}
    </LoadedPage>
  );
}

/** Offers to repeat a dry run without conflicts for real. */
function Repeat({ run: { remote, action, branch, dryRun, status } }: { run: Run }) {
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  if (!dryRun || status !== 'complete' || !may(`git.${action}`)) return null;
  return (
    <>
      <Button onPress={() => setOpen(true)}>{action === 'push' ? 'Push' : 'Pull'} …</Button>
      {isOpen && (
        <StartRun remoteId={remote} action={action} branch={branch} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

function RunBody({ run }: { run: Run }) {
  const { documents, commits, issues } = run;
  const changes: Change[] = [
    ...documents.new.map((one) => ({ ...one, outcome: 'new' })),
    ...documents.changed.map((one) => ({ ...one, outcome: 'changed' })),
    ...documents.removed.map((one) => ({
      ...one,
      outcome: run.action === 'push' ? 'deleted in the repository' : 'missing in the repository, kept here',
    })),
  ];
  return (
    <>
      <section className="card" aria-label="Summary">
        <Announced status={run.status} />
        {run.error && <RunError text={run.error} />}
        <Details
          entries={[
            ['State', <GitRunState key="state" run={run} conflicts={documents.conflicts.length} />],
            ['Branch', run.branch],
            ['Unchanged', String(run.unchanged)],
            ['Conflicts', String(documents.conflicts.length)],
            ['Started', <Time key="started" value={run.started} />],
            ['Ended', <Time key="ended" value={run.ended} />],
          ]}
        />
      </section>
      {commits.length > 0 && !run.dryRun && <Proposal run={run} />}
      {documents.conflicts.length > 0 && <GitConflicts run={run} />}
      {changes.length > 0 && (
        <>
          <h2>{run.dryRun ? 'Documents that would be written' : 'Documents'}</h2>
          <DataTable label="Documents" columns={CHANGES} rows={changes} rowKey={({ path }) => path} />
        </>
      )}
      {commits.length > 0 && (
        <>
          <h2>Commits</h2>
          <DataTable
            label="Commits"
            columns={COMMITS}
            rows={commits}
            rowKey={({ id, message }) => `${id} ${message}`}
          />
        </>
      )}
      {issues.length > 0 && (
        <>
          <h2>Files with problems</h2>
          <DataTable
            label="Files with problems"
            columns={ISSUES}
            rows={issues}
            rowKey={({ path, message }) => `${path} ${message}`}
          />
        </>
      )}
      {run.status === 'complete' && changes.length === 0 && documents.conflicts.length === 0 && (
        <p>Both sides are the same.</p>
      )}
    </>
  );
}

/** Says what happens next with a push to another branch than that of the remote. */
function Proposal({ run: { remote, branch } }: { run: Run }) {
  const { data } = useQuery(trpc.git.getRemote.queryOptions({ id: remote }));
  if (!data || data.branch === branch) return null;
  return (
    <p className="note" data-tone="info">
      A proposal: the branch {branch} has these commits. Review and merge it into {data.branch} in the
      repository; the next pull then finds both sides the same.
    </p>
  );
}

/** Why a run failed and what to do; what git printed is below. */
function RunError({ text }: { text: string }) {
  const [summary = '', ...printed] = text.split('\n');
  return (
    <div className="note" data-tone="bad">
      <p>{summary}</p>
      {printed.length > 0 && (
        <p className="small">
          Git says: <code>{printed.join('\n')}</code>
        </p>
      )}
    </div>
  );
}
