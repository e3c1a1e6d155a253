import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { devicePath } from '~/app/paths.ts';
import { Button } from '~/ui/button.tsx';
import { DiffView } from '~/ui/code/editor.tsx';
import { QueryView } from '~/ui/states.tsx';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { kindsText } from './remote-form.tsx';
import { StartRun } from './start-run.tsx';

type Run = Outputs['git']['getRun'];
type Conflict = Run['documents']['conflicts'][number];
type ConflictFile = Outputs['git']['getConflict']['files'][number];

/** The decision about conflicts: the run that settles them, and their files. */
type Decision = { action: 'push' | 'pull'; paths: readonly string[] };

const columnsWith = (onCompare: (path: string) => void): Column<Conflict>[] => [
  {
    key: 'name',
    header: 'Document',
    cell: ({ name, kind }) =>
      kind === 'deviceBackups' ? (
        <Link {...devicePath(name)} search={{ tab: 'backups' }}>
          {name}
        </Link>
      ) : (
        name
      ),
  },
  {
    key: 'compare',
    header: 'Both sides',
    cell: ({ path, name }) => (
      <Button variant="quiet" aria-label={`Compare both sides of ${name}`} onPress={() => onCompare(path)}>
        Compare
      </Button>
    ),
  },
  { key: 'kind', header: 'Kind', cell: ({ kind }) => kindsText([kind]) },
  { key: 'path', header: 'File', cell: ({ path }) => path },
  { key: 'reason', header: 'Why', wraps: true, cell: ({ reason }) => reason },
];

/** Documents that both sides changed: nothing was written; a further run keeps the side that is chosen for each. */
export function GitConflicts({ run }: { run: Run }) {
  const { runId, remote, action, branch, documents } = run;
  const [selected, setSelected] = useState<Set<string>>(new Set());
  const [compared, setCompared] = useState<string>();
  const [decision, setDecision] = useState<Decision>();
  const shown = documents.conflicts.find(({ path }) => path === compared);
  return (
    <>
      <h2>Conflicts</h2>
      <p>
        Both sides changed these documents, and neither was replaced. Compare them, or select some, and decide
        which side wins.
      </p>
      <DataTable
        label="Conflicts"
        columns={columnsWith(setCompared)}
        rows={documents.conflicts}
        rowKey={({ path }) => path}
        selection={{ selected, onChange: setSelected }}
      />
      <Decide paths={[...selected]} onDecide={setDecision} />
      {shown && (
        <Comparison
          key={shown.path}
          runId={runId}
          conflict={shown}
          onDecide={setDecision}
          onClose={() => setCompared(undefined)}
        />
      )}
      {decision && (
        <StartRun
          remoteId={remote}
          action={decision.action}
          overwrite={decision.paths}
          {...(action === 'push' && { branch })}
          onClose={() => setDecision(undefined)}
        />
      )}
    </>
  );
}

type DecideProps = {
  paths: readonly string[];
  /** The name of the only document: it is in the names of the buttons. */
  name?: string;
  onDecide: (decision: Decision) => void;
};

function Decide({ paths, name, onDecide }: DecideProps) {
  const may = useMay();
  const button = (action: Decision['action'], label: string) =>
    may(`git.${action}`) && (
      <Button
        isDisabled={paths.length === 0}
        {...(name && { 'aria-label': `${label} of ${name}` })}
        onPress={() => onDecide({ action, paths })}
      >
        {label}
      </Button>
    );
  return (
    <div className="row">
      {button('push', 'Keep what is here')}
      {button('pull', 'Take what is in the repository')}
    </div>
  );
}

type ComparisonProps = {
  runId: string;
  conflict: Conflict;
  onDecide: (decision: Decision) => void;
  onClose: () => void;
};

/** Both sides of one document as they are now, from which its side is chosen. */
function Comparison({ runId, conflict: { path, name }, onDecide, onClose }: ComparisonProps) {
  // The repository is read for it: not again whenever the window gets the focus.
  const query = useQuery(
    trpc.git.getConflict.queryOptions(
      { runId, path },
      { retry: false, staleTime: 60_000, refetchOnWindowFocus: false },
    ),
  );
  return (
    <section className="card" aria-label={`Both sides of ${name}`}>
      <div className="row">
        <h3>{name}</h3>
        <Button variant="quiet" onPress={onClose}>
          Close
        </Button>
      </div>
      <QueryView query={query} loading="Reading the repository">
        {({ files, branch }) => (
          <>
            {files.length === 0 && <p>Neither side has this document any more.</p>}
            {files.map((file) => (
              <Sides key={file.path} file={file} branch={branch} />
            ))}
            <Decide paths={[path]} name={name} onDecide={onDecide} />
          </>
        )}
      </QueryView>
    </section>
  );
}

function Sides({ file: { path, here, there, isShortened }, branch }: { file: ConflictFile; branch: string }) {
  return (
    <>
      <h4>
        <code>{path}</code>
      </h4>
      {here === null && <p>It does not exist here.</p>}
      {there === null && <p>It does not exist in the repository.</p>}
      {isShortened && (
        <p className="note" data-tone="warn">
          It is long: only the first 1,000,000 characters of each side are compared.
        </p>
      )}
      {here === there ? (
        <p className="muted">Both sides show the same text; secrets that are masked for you may differ.</p>
      ) : (
        <DiffView
          label={`${path}, here and in the repository`}
          before={here ?? ''}
          after={there ?? ''}
          sides={['here now', `the branch ${branch} of the repository now`]}
        />
      )}
    </>
  );
}
