import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, trpc } from '~/api/client.ts';
import { type Problem, problemOf } from '~/api/problem.ts';
import { useMay } from '~/api/use-may.ts';
import { Button } from '~/ui/button.tsx';
import { Dialog, FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { ProblemNote } from '~/ui/states.tsx';
import { StateBadge } from './job-state.tsx';

type Result = { status?: string | undefined; error?: string | undefined };
type Results = Record<string, Result>;
type Verb = 'pause' | 'resume' | 'cancel' | 'delete' | 'watch';

const LABELS: Record<Verb, string> = {
  pause: 'Pause',
  resume: 'Resume',
  cancel: 'Cancel',
  delete: 'Delete',
  watch: 'Watch',
};

/** Runs the action on every job and returns the result of each; a rejected job does not hold up the others. */
async function perform(verb: Verb, jobIds: string[]): Promise<Results> {
  if (verb === 'pause') return (await api.operationsManager.pauseJobs.mutate({ jobIds })).data;
  if (verb === 'resume') return (await api.operationsManager.resumeJobs.mutate({ jobIds })).data;
  if (verb === 'cancel') return (await api.operationsManager.cancelJobs.mutate({ jobIds })).data;
  if (verb === 'watch') {
    const { data } = await api.operationsManager.watchJobs.mutate({ jobIds });
    return Object.fromEntries(data.map(({ _id }) => [_id, { status: 'watched' }]));
  }
  const { data } = await api.operationsManager.deleteJobs.mutate({ jobIds });
  return Object.fromEntries(
    data.map(({ _id, status }) => [
      _id,
      status === 'deleted'
        ? { status }
        : { error: 'Not deleted: the job has not ended, or belongs to another job' },
    ]),
  );
}

/** The reasons by job that the refusal of a whole call has. */
function reasonsOf({ data }: Problem): Results {
  if (typeof data !== 'object' || data === null) return {};
  return Object.fromEntries(
    Object.entries(data).map(([id, reason]) => {
      const error =
        typeof reason === 'object' && reason !== null && 'error' in reason ? reason.error : reason;
      return [id, { error: typeof error === 'string' ? error : JSON.stringify(error) }];
    }),
  );
}

type BulkActionsProps = { selected: readonly string[]; nameOf: (id: string) => string; onDone: () => void };

/** Actions on the selected jobs; the result of each is shown when one was rejected. */
export function BulkActions({ selected, nameOf, onDone }: BulkActionsProps) {
  const may = useMay();
  const queryClient = useQueryClient();
  const [asked, setAsked] = useState<Verb>();
  const [results, setResults] = useState<Results>();
  const [problem, setProblem] = useState<Problem>();
  const [isPending, setPending] = useState(false);
  const run = async (verb: Verb) => {
    setPending(true);
    try {
      const found = await perform(verb, [...selected]);
      const refused = Object.values(found).filter(({ error }) => error).length;
      if (refused > 0) setResults(found);
      else {
        showToast(`${LABELS[verb]}: ${selected.length} ${selected.length === 1 ? 'job' : 'jobs'} done`);
        onDone();
      }
    } catch (error) {
      const failed = problemOf(error);
      const reasons = reasonsOf(failed);
      setProblem(failed);
      setResults(reasons);
    } finally {
      setPending(false);
      void queryClient.invalidateQueries(trpc.operationsManager.listJobs.pathFilter());
      void queryClient.invalidateQueries(trpc.operationsManager.countJobs.pathFilter());
    }
  };
  const close = () => {
    setResults(undefined);
    setProblem(undefined);
  };
  const count = `${selected.length} ${selected.length === 1 ? 'job' : 'jobs'}`;
  return (
    <>
      {may('operationsManager.pauseJobs') && (
        <Button isPending={isPending} onPress={() => run('pause')}>
          Pause
        </Button>
      )}
      {may('operationsManager.resumeJobs') && (
        <Button isPending={isPending} onPress={() => run('resume')}>
          Resume
        </Button>
      )}
      {may('operationsManager.watchJobs') && (
        <Button isPending={isPending} onPress={() => run('watch')}>
          Watch
        </Button>
      )}
      {may('operationsManager.cancelJobs') && (
        <Button variant="danger" onPress={() => setAsked('cancel')}>
          Cancel jobs
        </Button>
      )}
      {may('operationsManager.deleteJobs') && (
        <Button variant="danger" onPress={() => setAsked('delete')}>
          Delete
        </Button>
      )}
      <FormDialog
        title={`${asked === 'delete' ? 'Delete' : 'Cancel'} ${count}?`}
        action={`${asked === 'delete' ? 'Delete' : 'Cancel'} ${count}`}
        isDanger
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        onSubmit={async () => asked && run(asked)}
      >
        <p>
          {asked === 'delete'
            ? 'Their tasks, values and child jobs are deleted too. Jobs that have not ended are kept.'
            : 'Running tasks are stopped, and the jobs cannot be continued.'}
        </p>
        <ul className="job-names">
          {selected.slice(0, 20).map((id) => (
            <li key={id}>
              {nameOf(id)} <code>{id}</code>
            </li>
          ))}
        </ul>
        {selected.length > 20 && <p>and {selected.length - 20} more</p>}
      </FormDialog>
      {results && <ResultsDialog results={results} problem={problem} nameOf={nameOf} onClose={close} />}
    </>
  );
}

/** The outcome for each job of an action that some jobs rejected. */
function ResultsDialog({
  results,
  problem,
  nameOf,
  onClose,
}: {
  results: Results;
  /** Why the whole call was rejected. */
  problem: Problem | undefined;
  nameOf: (id: string) => string;
  onClose: () => void;
}) {
  return (
    <Dialog title="Result for each job" isOpen onClose={onClose} size="wide">
      {problem && <ProblemNote problem={problem} />}
      <ul className="job-names">
        {Object.entries(results).map(([id, { status, error }]) => (
          <li key={id}>
            {nameOf(id)} <StateBadge state={error ? 'error' : status} /> {error && error}
          </li>
        ))}
      </ul>
      <div className="dialog-actions">
        <Button variant="primary" onPress={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}
