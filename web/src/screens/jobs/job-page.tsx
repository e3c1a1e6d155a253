import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { trpc } from '~/api/client.ts';
import { useNames } from '~/api/use-names.ts';
import { jobPath, workPath } from '~/app/paths.ts';
import { usePathParam } from '~/app/routes.tsx';
import { useUrlState } from '~/app/url-state.ts';
import { Progress } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { Details } from '~/ui/details.tsx';
import { LoadedPage, PathLink } from '~/ui/page.tsx';
import { Duration, Time } from '~/ui/time.tsx';
import { nameText } from '~/ui/visible-text.ts';
import { JobActions } from './job-actions.tsx';
import { type Job, StateBadge, stoppedAt, taskTitle } from './job-state.tsx';
import { JobViews } from './job-views.tsx';
import { TaskPanel } from './task/task-panel.tsx';
import { errorText } from './task-order.ts';
import { useJob } from './use-job.ts';

/** Screen 3: one job, as graph, timeline or table, with the values of the chosen task beside it. */
export function JobPage() {
  const jobId = usePathParam('jobId');
  const query = useJob(jobId);
  return (
    <LoadedPage
      query={query}
      title={jobId}
      titleOf={({ data }) => nameText(data.name ?? jobId)}
      path={<Ancestors job={query.data?.data} jobId={jobId} />}
      actions={({ data }) => <JobActions job={data} jobId={jobId} />}
    >
      {({ data }) => <LoadedJob job={data} jobId={jobId} />}
    </LoadedPage>
  );
}

function Ancestors({ job, jobId }: { job: Job | undefined; jobId: string }) {
  const above = (job?.ancestors ?? []).filter((id) => id !== jobId);
  const named = useQuery({
    ...trpc.operationsManager.listJobs.queryOptions({
      queryOptions: { in: { _id: above }, include: 'name', limit: 100 },
    }),
    enabled: above.length > 0,
  }).data?.data;
  return (
    <>
      <PathLink to="/jobs">Jobs</PathLink>
      {above.map((id) => (
        <span key={id}>
          / <Link {...jobPath(id)}>{nameText(named?.find(({ _id }) => _id === id)?.name ?? id)}</Link>
        </span>
      ))}
      {job?.name && <span>/ {nameText(job.name)}</span>}
    </>
  );
}

function LoadedJob({ job, jobId }: { job: Job; jobId: string }) {
  const [{ task: chosen }] = useUrlState();
  const task = chosen === undefined ? undefined : job.tasks?.[chosen];
  return (
    <>
      <JobFacts job={job} />
      <JobErrors job={job} />
      <WaitingSteps job={job} />
      <div className="job-body" data-split={task ? true : undefined}>
        <JobViews job={job} />
        {task && chosen !== undefined && (
          <TaskPanel key={chosen} job={job} jobId={jobId} id={chosen} task={task} />
        )}
      </div>
    </>
  );
}

function JobFacts({ job }: { job: Job }) {
  const { metrics } = job;
  const nameOf = useNames();
  const start = metrics?.start_time;
  const end = stoppedAt(job);
  return (
    <section className="card" aria-label="Overview">
      <div className="row">
        <span role="status" aria-label="State of the job">
          <StateBadge state={job.status} />
        </span>
        <Progress label="Progress" done={metrics?.progress ?? 0} total={1} isPercent />
        {job.description && <span className="muted">{job.description}</span>}
      </div>
      <Details
        entries={[
          ['Started', <Time key="start" value={start} />],
          [job.status === 'error' ? 'Failed' : 'Ended', end !== undefined && <Time key="end" value={end} />],
          ['Duration', start !== undefined && <Duration key="duration" start={start} end={end} />],
          ['Started by', job.initiator && job.initiator],
          [
            'Runs with the rights of',
            job.actingAccount && job.actingAccount !== job.created_by && nameOf(job.actingAccount),
          ],
          [
            'Parent job',
            job.parent?.job && (
              <Link key="parent" {...jobPath(job.parent.job)} search={{ task: job.parent.task }}>
                {job.parent.job}
              </Link>
            ),
          ],
        ].map(([name, value]) => [String(name), value || undefined])}
      />
    </section>
  );
}

/** Manual steps that nobody has finished: the job waits for them, and they are done under My work. */
function WaitingSteps({ job }: { job: Job }) {
  const waiting = Object.entries(job.tasks ?? {}).flatMap(([id, task]) => {
    const iteration = task.iterations?.at(-1);
    return task.type === 'manual' && task.status === 'running' && iteration ? [{ id, task, iteration }] : [];
  });
  if (waiting.length === 0 || job.status !== 'running') return null;
  return (
    <section className="note job-errors" data-tone="warn" aria-label="Waiting for a person">
      <p>The job waits until a person has finished {waiting.length === 1 ? 'this step' : 'these steps'}:</p>
      <ul className="job-names">
        {waiting.map(({ id, task, iteration }) => (
          <li key={id}>
            <Link {...workPath(iteration)}>{taskTitle(id, task)}</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Whether a job that had failed has been tried again: nothing has to be done about its errors any more. */
const hasContinued = ({ status }: Job) => status === 'complete' || status === 'running';

/** What went wrong, before anything else; each entry leads to its step. */
function JobErrors({ job }: { job: Job }) {
  const [, setUrl] = useUrlState();
  const errors = job.error ?? [];
  if (errors.length === 0 && !job.validationErrors?.length) return null;
  return (
    <section
      className="note job-errors"
      data-tone={hasContinued(job) ? 'warn' : 'bad'}
      aria-label="What went wrong"
    >
      {hasContinued(job) && <p>These errors occurred on the way; the job has continued since.</p>}
      <ul className="job-names">
        {errors.slice(0, 50).map(({ task = '', message, timestamp }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries are only ever added at the end
          <li key={index}>
            <span>{errorText(job, task, message).slice(0, 1000)}</span>{' '}
            <span className="small">
              <Time value={timestamp} />
            </span>{' '}
            {job.tasks?.[task] && (
              <Button variant="quiet" onPress={() => setUrl({ task, iteration: undefined })}>
                {index === 0 ? 'Jump to first error' : 'Jump to step'}: {taskTitle(task, job.tasks[task])}
              </Button>
            )}
          </li>
        ))}
        {job.validationErrors?.map(({ instancePath, message }) => (
          <li key={`${instancePath} ${message}`}>
            Start value <code>{instancePath}</code> {message ?? ''}
          </li>
        ))}
      </ul>
      {errors.length > 50 && <p>and {errors.length - 50} more</p>}
    </section>
  );
}
