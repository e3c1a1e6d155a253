import { task, variable, view, workflowOf } from '../helpers/workflows.ts';
import { must, sendAs, signIn } from './load.ts';
import { until } from './processes.ts';

/** Seconds of the task that runs while processes are restarted, and of the one during which its job is paused. */
const LONG_S = 20;
const SHORT_S = 5;

const delay = (time: number) => task('delay', { time }, { time_in_milliseconds: null });

type Job = { _id: string; status: string };

/** Starts a job that runs a long task, one that waits for a user, and one that is paused. */
export async function startWaitingJobs(url: string) {
  const send = sendAs(url, await signIn(url));
  const jobs = new Map<string, string>();
  const waits = {
    'a long task': delay(LONG_S),
    'a user': view(),
    'its resumption': delay(SHORT_S),
  };
  for (const [what, first] of Object.entries(waits)) {
    const name = `Trial that waits for ${what}`;
    await must(send, 'POST', '/automation-studio/automations', {
      automation: workflowOf(name, { a: first, b: variable('done', true) }),
    });
    const started = await must<{ data: Job }>(send, 'POST', '/operations-manager/jobs/start', {
      workflow: name,
      options: { variables: {} },
    });
    jobs.set(what, started.data._id);
  }
  const paused = jobs.get('its resumption');
  await must(send, 'POST', '/operations-manager/jobs/pause', { jobIds: [paused] });
  const statusOf = async (id: string | undefined) =>
    (await must<{ data: Job }>(send, 'GET', `/operations-manager/jobs/${id}`)).data.status;
  await until('the job is paused', async () => (await statusOf(paused)) === 'paused');

  /** Lets them go on, and waits for their end. @returns the end of each @throws Error when one does not complete */
  const endedAs = async (): Promise<string> => {
    if ((await statusOf(paused)) !== 'paused') throw new Error('the paused job went on');
    await must(send, 'POST', '/operations-manager/jobs/resume', { jobIds: [paused] });
    await must(send, 'POST', `/operations-manager/jobs/${jobs.get('a user')}/tasks/a/finish`, {
      taskData: { finish_state: 'success' },
    });
    for (const [what, id] of jobs)
      await until(
        `the end of the job that waits for ${what}`,
        async () => (await statusOf(id)) !== 'running',
      );
    const ends = await Promise.all([...jobs].map(async ([what, id]) => `${what}: ${await statusOf(id)}`));
    if (!ends.every((end) => end.endsWith(': complete'))) throw new Error(ends.join(', '));
    return ends.join(', ');
  };
  return { endedAs };
}
