import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useRefetchOn } from '~/api/live/use-live.ts';
import { type Problem, problemOf } from '~/api/problem.ts';
import { useMay, useWhoAmI } from '~/api/use-may.ts';
import { useNames } from '~/api/use-names.ts';
import { jobPath } from '~/app/paths.ts';
import { usePathParam } from '~/app/routes.tsx';
import { Button } from '~/ui/button.tsx';
import { Details } from '~/ui/details.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { LoadedPage, PathLink } from '~/ui/page.tsx';
import { ProblemNote, QueryView } from '~/ui/states.tsx';
import { Time } from '~/ui/time.tsx';
import { nameText } from '~/ui/visible-text.ts';
import { AssignDialog } from './assign-dialog.tsx';
import { FinishForm } from './finish-form.tsx';

export type WorkItem = Outputs['operationsManager']['getTask']['data'];

/** One task that waits for a user: what it shows, its form, and the buttons that its workflow names. */
export function WorkTaskPage() {
  const taskId = usePathParam('taskId');
  const query = useQuery(trpc.operationsManager.getTask.queryOptions({ taskId }));
  useRefetchOn(
    trpc.operationsManager.getTask.queryFilter({ taskId }),
    ({ topic, payload }) => topic.startsWith('task') && payload._id === taskId,
  );
  return (
    <LoadedPage
      query={query}
      title={taskId}
      titleOf={({ data }) => data.summary || data.name}
      path={<PathLink to="/work">My work</PathLink>}
      actions={({ data }) => <OwnActions item={data} />}
    >
      {({ data }) => <LoadedTask item={data} />}
    </LoadedPage>
  );
}

/** Claim, release and assign; what another account did meanwhile is said. */
function OwnActions({ item }: { item: WorkItem }) {
  const may = useMay();
  const me = useWhoAmI();
  const queryClient = useQueryClient();
  const [problem, setProblem] = useState<Problem>();
  const [isAssigning, setAssigning] = useState(false);
  if (item.status !== 'running') return null;
  const { owner } = item.metrics;
  const isMine = owner === me?.id;
  const isAdmin = me?.roles.includes('admin') ?? false;
  const refresh = () =>
    queryClient.invalidateQueries(trpc.operationsManager.getTask.queryFilter({ taskId: item._id }));
  const act = async (done: string, call: () => Promise<unknown>) => {
    setProblem(undefined);
    try {
      await call();
      showToast(done);
    } catch (error) {
      setProblem(problemOf(error));
    }
    await refresh();
  };
  const taskId = item._id;
  return (
    <>
      {!owner && may('operationsManager.claimTask') && (
        <Button
          onPress={() => act('The task is claimed', () => api.operationsManager.claimTask.mutate({ taskId }))}
        >
          Claim
        </Button>
      )}
      {owner && (isMine || isAdmin) && may('operationsManager.releaseTask') && (
        <Button
          onPress={() =>
            act('The task is released', () => api.operationsManager.releaseTask.mutate({ taskId }))
          }
        >
          Release
        </Button>
      )}
      {(!owner || isMine || isAdmin) && may('operationsManager.assignTask') && (
        <Button onPress={() => setAssigning(true)}>Assign</Button>
      )}
      {problem && <ProblemNote problem={problem} />}
      {isAssigning && <AssignDialog taskId={taskId} onClose={() => setAssigning(false)} onDone={refresh} />}
    </>
  );
}

function LoadedTask({ item }: { item: WorkItem }) {
  const nameOf = useNames();
  const me = useWhoAmI();
  const { job, metrics } = item;
  const isOver = item.status !== 'running';
  const isTaken = !isOver && !!metrics.owner && metrics.owner !== me?.id;
  const controller = useQuery(
    trpc.operationsManager.getManualController.queryOptions({ jobId: job._id, taskId: job.task }),
  );
  return (
    <>
      <section className="card" aria-label="Summary">
        <Details
          entries={[
            [
              'Job',
              <Link key="job" {...jobPath(job._id)} search={{ task: job.task }}>
                {nameText(job.name)}
              </Link>,
            ],
            ['Waiting since', <Time key="since" value={metrics.start_time} />],
            ['Claimed by', metrics.owner ? nameOf(metrics.owner) : 'nobody'],
            ['Groups', item.groups?.length ? item.groups.map(nameOf).join(', ') : 'everyone'],
          ]}
        />
      </section>
      {isTaken && metrics.owner && (
        <p className="note" data-tone="warn" role="status">
          Already claimed by {nameOf(metrics.owner)}. What you typed stays here.
        </p>
      )}
      {isOver && (
        <p className="note" data-tone="good" role="status">
          {metrics.user ? `Finished by ${nameOf(metrics.user)}` : `This task no longer waits: ${item.status}`}
          {metrics.finish_state && ` with ${metrics.finish_state}`}.
        </p>
      )}
      <QueryView query={controller} loading="Loading the task">
        {({ data }) => <FinishForm item={item} controller={data} isOpen={!isOver && !isTaken} />}
      </QueryView>
    </>
  );
}
