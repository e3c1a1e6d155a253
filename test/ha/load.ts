import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '#db/embedded.ts';
import { task, variable, workflowOf } from '../helpers/workflows.ts';
import { type Program, startProgram } from '../lab/program.ts';
import { type CommandTime, commandTime } from './command-times.ts';
import { type Followed, followEvents } from './events.ts';
import { ask } from './postgres.ts';
import { ADMIN_PASSWORD, SERVED_BY } from './processes.ts';

/** Kinds of requests that the load sends. */
type Kind = 'read' | 'write' | 'job' | 'session' | 'compliance';

/** A request that was not answered as documented. */
type Failure = { from: number; at: number; kind: Kind; reason: string };

/** What the load sent and its results. */
export type Ledger = {
  sent: Record<Kind, number>;
  failures: Failure[];
  /** Names of the documents and ids of the jobs and compliance runs whose creation was acknowledged. */
  written: Set<string>;
  jobs: Map<string, number>;
  runs: Set<string>;
  /** Where the time of each command on a device went. */
  commands: CommandTime[];
  /** Times of acknowledged writes, in milliseconds of `performance.now()`. */
  acknowledged: number[];
  /** What the event stream delivered, once the load has stopped. */
  events?: Followed;
};

export type Load = { ledger: Ledger; stop: () => Promise<void> };

const JOB = 'Trial of jobs';
const DEVICE = 'trial-1';
/** Longest that a request may take, in milliseconds. It may be answered later, so that the answer says why it took so long. */
const MOST_MS = 20_000;
const TIMEOUT_MS = 60_000;

type Answer = { status: number; body: unknown; process: string };
type Send = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** Signs in. The token holds for every process. */
export async function signIn(url: string): Promise<string> {
  const answer = await fetch(`${url}/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ user: { username: 'admin', password: ADMIN_PASSWORD } }),
  });
  const token = await answer.text();
  if (!answer.ok) throw new Error(`signing in answered ${answer.status}: ${token}`);
  return token;
}

export function sendAs(url: string, token: string): Send {
  return async (method, path, body) => {
    const sent = await fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await sent.text();
    return {
      status: sent.status,
      process: sent.headers.get(SERVED_BY) ?? 'the service',
      body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text,
    };
  };
}

export async function must<Body>(send: Send, method: string, path: string, body?: unknown): Promise<Body> {
  const { status, body: answer } = await send(method, path, body);
  if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(answer)}`);
  // What the documented endpoint answers.
  return answer as Body;
}

/** A simulated device in the inventory, a workflow that opens a session with it, and a golden configuration for it. */
export type World = { device: Program; tree: string };

/** Prepares what the load works on. */
export async function prepareWorld(url: string): Promise<World> {
  const send = sendAs(url, await signIn(url));
  const device = await startProgram('devices', 'cisco_ios');
  const { port, username, password, enable } = device.reported;
  const host = { name: DEVICE, host: '127.0.0.1', port, device_type: 'cisco_ios', username, password };
  await must(send, 'POST', '/automationgateway/inventory/cli', { host: { ...host, enablePassword: enable } });
  const command = task(
    'RunCommand',
    { command: 'show version', device: DEVICE, variables: {} },
    { result: '$var.job.answer' },
    { app: 'MOP', type: 'automatic' },
  );
  const automation = workflowOf(JOB, {
    a: variable('first', 1),
    b: command,
    c: variable('second', 2),
    d: variable('done', true),
  });
  await must(send, 'POST', '/automation-studio/automations', { automation });
  const tree = await must<{ id: string }>(send, 'POST', '/configuration_manager/configs', {
    name: 'Trial',
    deviceType: 'cisco-ios',
  });
  await must(send, 'PUT', '/configuration_manager/node/config', {
    treeId: tree.id,
    treeVersion: 'initial',
    nodePath: 'base',
    updateVariables: true,
    data: { template: 'ntp server 192.0.2.9', variables: {} },
  });
  await must(send, 'POST', `/configuration_manager/configs/${tree.id}/initial/base/devices`, {
    devices: [DEVICE],
  });
  await must(send, 'POST', '/configuration_manager/devices/backups', { name: DEVICE });
  return { device, tree: tree.id };
}

/**
 * Sends a mix of requests until it is stopped: reads, writes, jobs, sessions with a device, compliance runs and an event stream.
 *
 * @param pauseMs between two requests of one sender
 */
export async function startLoad(url: string, world: World, pauseMs = 30): Promise<Load> {
  const token = await signIn(url);
  const send = sendAs(url, token);
  const ledger: Ledger = {
    sent: { read: 0, write: 0, job: 0, session: 0, compliance: 0 },
    failures: [],
    written: new Set(),
    jobs: new Map(),
    runs: new Set(),
    commands: [],
    acknowledged: [],
  };
  const ending = new AbortController();
  const mark = `${process.pid}-${Date.now().toString(36)}`;
  let serial = 0;

  const attempt = async (kind: Kind, request: () => Promise<Answer>): Promise<unknown> => {
    ledger.sent[kind] += 1;
    const from = performance.now();
    const fail = (reason: string) => void ledger.failures.push({ from, at: performance.now(), kind, reason });
    try {
      const { status, body, process } = await request();
      if (status >= 300) return fail(`${status} ${JSON.stringify(body).slice(0, 200)}`);
      const tookMs = performance.now() - from;
      if (kind === 'session') {
        ledger.commands.push(commandTime(tookMs, process, body));
        if (!JSON.stringify(body).includes('Version')) fail(JSON.stringify(body).slice(0, 200));
      }
      if (tookMs > MOST_MS) fail(`took ${(tookMs / 1000).toFixed(1)} s`);
      return body;
    } catch (error) {
      const { cause, message } = error as Error;
      fail(cause instanceof Error ? `${message}: ${cause.message}` : message);
    }
    return undefined;
  };
  const repeat = async (pause: number, act: () => Promise<void>) => {
    while (!ending.signal.aborted) {
      await act();
      await sleep(pause * (0.5 + Math.random()));
    }
  };
  const write = async () => {
    serial += 1;
    const name = `trial ${mark} ${serial}`;
    const answer = await attempt('write', () =>
      send('POST', '/automation-studio/automations', { automation: workflowOf(name) }),
    );
    if (answer === undefined) return;
    ledger.written.add(name);
    ledger.acknowledged.push(performance.now());
  };
  const job = async () => {
    const answer = await attempt('job', () =>
      send('POST', '/operations-manager/jobs/start', { workflow: JOB, options: { variables: {} } }),
    );
    if (answer !== undefined)
      ledger.jobs.set((answer as { data: { _id: string } }).data._id, performance.now());
  };
  const read = async () => {
    await attempt('read', () => send('GET', '/automation-studio/workflows?limit=5'));
  };
  const session = async () => {
    await attempt('session', () =>
      send('POST', '/automationgateway/cli/send_command', {
        cliSendCommandParameters: {
          host: DEVICE,
          commands: ['show version'],
          connection_options: { device_type: 'cisco_ios' },
        },
      }),
    );
  };
  const compliance = async () => {
    const answer = await attempt('compliance', () =>
      send('POST', '/configuration_manager/compliance_reports', {
        options: { treeId: world.tree, version: 'initial', nodePath: 'base' },
      }),
    );
    if (answer !== undefined) ledger.runs.add((answer as { batchId: string }).batchId);
  };
  const senders = [
    ...[1, 2, 3].map(() => repeat(pauseMs, write)),
    ...[1, 2, 3].map(() => repeat(pauseMs, read)),
    repeat(pauseMs * 4, job),
    repeat(pauseMs * 4, session),
    repeat(pauseMs * 30, compliance),
  ];
  const listening = new AbortController();
  const following = followEvents(url, token, listening.signal);
  return {
    ledger,
    stop: async () => {
      ending.abort();
      await Promise.all(senders);
      // Events of the last jobs arrive after their requests.
      const isMissing = (followed: Followed) =>
        [...ledger.jobs.keys()].some((id) => !followed.completed.has(id));
      const end = Date.now() + REST_MS;
      while (isMissing(following.followed) && Date.now() < end) await sleep(100);
      listening.abort();
      await following.ended;
      ledger.events = following.followed;
    },
  };
}

/** What is wrong with what the database holds after the load; all empty when nothing was lost. */
export type Verdict = {
  lostWrites: string[];
  lostJobs: string[];
  wrongJobs: string[];
  lostRuns: string[];
  wrongEvents: string[];
};

/** Time for the jobs that run when the load ends, in milliseconds. */
const REST_MS = 90_000;

/**
 * Compares the database with what was acknowledged. Jobs may run to their end first.
 *
 * @param database itself, not a pooler
 */
export async function verify(database: Connection, ledger: Ledger): Promise<Verdict> {
  const end = Date.now() + REST_MS;
  const texts = (values: Iterable<string>) =>
    `array[${[...values].map((value) => `'${value.replaceAll("'", "''")}'`).join(',')}]::text[]`;
  for (;;) {
    const [left] = await ask<{ n: string }>(
      database,
      `select (select count(*) from jobs where status = 'running' and id = any(${texts(ledger.jobs.keys())}))
        + (select count(*) from compliance_batch where status = 'running') as n`,
    );
    if (left?.n === '0' || Date.now() > end) break;
    await sleep(200);
  }
  const found = await ask<{ name: string }>(
    database,
    `select doc ->> 'name' as name from workflows where doc ->> 'name' = any(${texts(ledger.written)})`,
  );
  const names = new Set(found.map(({ name }) => name));
  const jobs = await ask<{ id: string; status: string; error: string; variables: string; tasks: string }>(
    database,
    `select id, status, doc ->> 'error' as error, doc ->> 'variables' as variables,
      (select count(*) from job_tasks t where t.job_id = jobs.id and t.status = 'complete') as tasks
      from jobs where id = any(${texts(ledger.jobs.keys())})`,
  );
  const byId = new Map(jobs.map((one) => [one.id, one]));
  const isRight = ({ status, variables, tasks }: (typeof jobs)[number]) => {
    const { done, first, second, answer } = JSON.parse(variables) as Record<string, unknown>;
    const isAnswered = JSON.stringify(answer ?? null).includes('Version');
    return (
      status === 'complete' &&
      isAnswered &&
      done === true &&
      first === 1 &&
      second === 2 &&
      Number(tasks) === 6
    );
  };
  const runs = await ask<{ id: string; status: string }>(
    database,
    `select id, status from compliance_batch where id = any(${texts(ledger.runs)})`,
  );
  const ended = new Set(runs.filter(({ status }) => status !== 'running').map(({ id }) => id));
  return {
    lostWrites: [...ledger.written].filter((name) => !names.has(name)),
    lostJobs: [...ledger.jobs.keys()].filter((id) => !byId.has(id)),
    wrongJobs: jobs.filter((one) => !isRight(one)).map((one) => JSON.stringify(one).slice(0, 1000)),
    lostRuns: [...ledger.runs].filter((id) => !ended.has(id)),
    wrongEvents: wrongEvents(ledger),
  };
}

/** Returns what the event stream missed or repeated: each job has one event of its end. */
function wrongEvents({ events, jobs }: Ledger): string[] {
  if (!events) return [];
  const counts = [...jobs.keys()].map((id) => [id, events.completed.get(id) ?? 0] as const);
  return [
    ...events.faults,
    ...counts.filter(([, n]) => n !== 1).map(([id, n]) => `job ${id}: ${n} events of its end`),
  ];
}
