import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { trpc } from '~/api/client.ts';
import { useRefetchOn } from '~/api/live/use-live.ts';
import { jobPath } from '~/app/paths.ts';
import { Button } from '~/ui/button.tsx';
import { QueryView } from '~/ui/states.tsx';
import { StateBadge, taskState, taskTitle } from '../job-state.tsx';
import { stepsOf } from '../task-order.ts';
import { useJob } from '../use-job.ts';

/** Most child jobs that are listed; a loop may start thousands. */
const LISTED = 100;

/** The jobs that a task started, each with its own tasks in place. */
export function ChildJobs({ jobId, taskId }: { jobId: string; taskId: string }) {
  const query = useQuery(
    trpc.operationsManager.listJobs.queryOptions({
      queryOptions: {
        equals: { 'parent.job': jobId, 'parent.task': taskId },
        include: 'name,status,parent',
        sort: 'metrics.start_time',
        order: 1,
        limit: LISTED,
      },
    }),
  );
  useRefetchOn(
    trpc.operationsManager.listJobs.pathFilter(),
    ({ topic, payload }) => topic.startsWith('job') && payload.parent === jobId,
  );
  return (
    <section className="column" aria-label="Child jobs">
      <h3>Child jobs</h3>
      <QueryView query={query} loading="Loading child jobs">
        {({ data, metadata }) => (
          <>
            {data.length === 0 && <p className="muted">None has started.</p>}
            <ul className="child-jobs">
              {data.map(({ _id = '', name = '', status, parent }) => (
                <ChildJob
                  key={_id}
                  id={_id}
                  title={
                    typeof parent?.element === 'number' ? `${name}, element ${parent.element + 1}` : name
                  }
                  status={status}
                />
              ))}
            </ul>
            {metadata.total > data.length && (
              <p className="muted">
                The first {data.length} of {metadata.total.toLocaleString('en')}.
              </p>
            )}
          </>
        )}
      </QueryView>
    </section>
  );
}

function ChildJob({ id, title, status }: { id: string; title: string; status: string | undefined }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li className="column">
      <div className="row">
        <Link {...jobPath(id)}>{title}</Link>
        <StateBadge state={status} />
        <Button variant="quiet" aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide tasks' : 'Show tasks'}
        </Button>
      </div>
      {isOpen && <ChildTasks jobId={id} />}
    </li>
  );
}

function ChildTasks({ jobId }: { jobId: string }) {
  const query = useJob(jobId);
  return (
    <QueryView query={query} loading="Loading the tasks">
      {({ data: job }) => (
        <ol className="job-names">
          {stepsOf(job).map(({ id, task }) => (
            <li key={id}>
              <Link {...jobPath(jobId)} search={{ task: id }}>
                {taskTitle(id, task)}
              </Link>{' '}
              <StateBadge state={taskState(id, task, job)} />
            </li>
          ))}
        </ol>
      )}
    </QueryView>
  );
}
