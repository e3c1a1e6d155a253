import { expect, test } from 'vitest';
import { asAdminOf, openLaunching, stopInTime, tokenOf } from '../helpers/processes/launched-service.ts';
import { processesIn, until } from '../helpers/processes/processes.ts';
import { task, workflowOf } from '../helpers/workflows.ts';

const { launch, addSilentDevice } = openLaunching();

type Status = { apps: string; services: { service: string; status: string }[] };

async function statusOf(url: string) {
  const answer = await fetch(`${url}/health/status`);
  expect(answer.status).toBe(200);
  const { apps, services } = (await answer.json()) as Status;
  const of = (part: string) => services.find(({ service }) => service === part)?.status ?? 'running';
  return { apps, work: of('durable work'), sessions: of('device sessions') };
}

test('a thread that is blocked, ends or runs out of memory is replaced, and health reports it meanwhile', async () => {
  const { child, url, folder, order, errors } = await launch();
  expect(await statusOf(url)).toMatchObject({ apps: 'running', work: 'running' });
  for (const [what, why] of [
    ['loop', /did not respond for 10 s/],
    ['exit', /ended: 3/],
    // A thread that clears memory away all the time does not answer either.
    ['memory', /memory limit|did not respond for 10 s/],
  ] as const) {
    await order('work', what);
    const degraded = async () => (await statusOf(url)).work === 'degraded' || undefined;
    await until(`degraded by ${what}; it said ${errors.at(-1)}`, degraded, 90);
    expect(await statusOf(url)).toMatchObject({ apps: 'degraded', work: 'degraded' });
    const replaced = async () => (await statusOf(url)).work === 'running' || undefined;
    await until(`replaced after ${what}; it said ${errors.at(-1)}`, replaced);
    expect(errors.filter((line) => line.includes('was lost')).at(-1)).toMatch(why);
  }
  expect(child.exitCode).toBeNull();
  await stopInTime(child, folder);
});

test('SIGTERM ends the service within 10 s beside a blocked thread, open streams and a request that never ends', async () => {
  const { child, url, folder, order } = await launch();
  const headers = { Authorization: `Bearer ${await tokenOf(url)}` };
  const length = 500;
  const streams = await Promise.all(Array.from({ length }, () => fetch(`${url}/events`, { headers })));
  expect(streams.every(({ status }) => status === 200)).toBe(true);
  // Its body never ends.
  const unending = fetch(`${url}/configuration_manager/import/backups`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{')) }),
    duplex: 'half',
  } as RequestInit).catch(() => undefined);
  await order('work', 'block');
  await until('the thread is blocked', async () => processesIn(folder).length > 0 || undefined);
  await new Promise((resolve) => setTimeout(resolve, 500));
  await stopInTime(child, folder);
  await unending;
});

test('a thread with the sessions of durable work that is blocked is replaced, and health reports it meanwhile', async () => {
  const { child, url, folder, order, errors } = await launch();
  const done = await asAdminOf(url);
  const { isStuck } = await addSilentDevice(done);
  const asks = task(
    'sendCommand',
    { host: 'silent', commands: ['show version'], connection_options: {} },
    {},
    { app: 'AutomationGateway', type: 'automatic' },
  );
  await done('POST', '/automation-studio/automations', { automation: workflowOf('Asks', { a: asks }) });
  await done('POST', '/operations-manager/jobs/start', { workflow: 'Asks' });
  // Only the job contacts a device: the sessions are those of the thread that does durable work.
  await until('the command', () => isStuck() || undefined);
  await order('sessions', 'block');
  const degraded = async () => (await statusOf(url)).sessions === 'degraded' || undefined;
  await until(`degraded; it said ${errors.at(-1)}`, degraded);
  expect(await statusOf(url)).toEqual({ apps: 'degraded', work: 'running', sessions: 'degraded' });
  const ended = async () => (await statusOf(url)).sessions === 'running' || undefined;
  await until(`ended; it said ${errors.at(-1)}`, ended);
  expect(await statusOf(url)).toEqual({ apps: 'running', work: 'running', sessions: 'running' });
  await stopInTime(child, folder);
});

test('a worker ends its blocked thread, reports that in its log, and continues to work', async () => {
  const { child, order, errors } = await launch({ what: 'worker' });
  await order('work', 'block');
  await until('the loss', () => errors.find((line) => line.includes('was lost')), 90);
  expect(errors.find((line) => line.includes('was lost'))).toContain('did not respond for 10 s');
  expect(child.exitCode).toBeNull();
  // The thread that took its place can be blocked as well: it works.
  await order('work', 'exit');
  await until('the next loss', () => errors.find((line) => line.includes('ended: 3')));
  child.kill('SIGTERM');
  await until('the end', () => child.exitCode !== null || undefined, 15);
  expect(child.exitCode).toBe(0);
});
