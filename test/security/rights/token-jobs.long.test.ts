import { beforeAll, expect, test } from 'vitest';
import type { Job } from '#db/schemas/workflow/job.ts';
import type { Task } from '#db/schemas/workflow/task.ts';
import type { Trigger } from '#db/schemas/workflow/trigger.ts';
import { type Actor, openActing } from '../../helpers/jobs/acting.ts';
import { sendAs } from '../../helpers/people.ts';
import { runs, task, traceTask, view, workflowOf } from '../../helpers/workflows.ts';

const service = await openActing();
const { store, automationOf, trigger, schedule, over, taskComes, member, other } = service;
const OM = '/operations-manager';

/** An account's personal token, with the requests that it makes. */
async function tokenOf(by: Actor, roles?: readonly string[]): Promise<Actor & { tokenId: string }> {
  const answer = await by.send('POST', '/user/tokens', { name: 'ci', expiresInDays: 1, roles });
  expect(answer.status, answer.text).toBe(200);
  const { token, data } = answer.json as { token: string; data: { _id: string } };
  const send: Actor['send'] = (method, path, body) => sendAs(service, token, method, path, body);
  const done = async <Data>(method: string, path: string, body?: unknown): Promise<Data> => {
    const { status, text, json } = await send(method, path, body);
    if (status !== 200) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    return (json as { data: Data }).data;
  };
  return { ...by, send, done, tokenId: data._id };
}

const start = (by: Actor, workflow: string) => by.done<Job>('POST', `${OM}/jobs/start`, { workflow });
const finish = (by: Actor, job: string, id: string) =>
  by.done('POST', `${OM}/jobs/${job}/tasks/${id}/finish`, { taskData: { finish_state: 'success' } });
const messagesOf = ({ error }: Job) => (error ?? []).map(({ message }) => String(message)).join('\n');

/** A task whose endpoint is for apiread and designer. */
const reading = (more: Partial<Task> = {}) =>
  task('listATemplate', { name: 'Look' }, {}, { app: 'MOP', type: 'automatic', ...more });

/** Whether the job could do the task that reads. */
async function mayRead(job: Job): Promise<boolean> {
  const ended = await over(job._id);
  const done = Object.values(ended.tasks).some(
    ({ name, status }) => name === 'listATemplate' && status === 'complete',
  );
  if (!done) expect(messagesOf(ended)).toContain('Needs one of the roles: admin, apiread, designer');
  return done;
}
async function childOf(parent: Job): Promise<Job> {
  for (;;) {
    const [child] = await childrenOf(parent);
    if (child) return child;
  }
}

test('a personal token with fewer roles than its account writes no notification rule, which sends all that the account may read', async () => {
  const by = await service.actor(['admin']);
  const made = await by.send('POST', '/notifications/channels', {
    channel: { name: 'hook', type: 'webhook', url: 'https://hooks.example.net/', secret: 'x'.repeat(16) },
  });
  const { data: channel } = made.json as { data: { _id: string } };
  const rule = (name: string) => ({ rule: { name, topics: ['*'], channels: [channel._id] } });
  const whole = await tokenOf(by, ['admin']);
  const few = await service.actor(['apiwrite', 'apiread']);
  const fewer = await tokenOf(few, ['apiwrite']);
  const rejected = await fewer.send('POST', '/notifications/rules', rule('by a narrow token'));
  expect(rejected.status, rejected.text).toBe(403);
  const { _id } = await few.done<{ _id: string }>('POST', '/notifications/rules', rule('by a session'));
  const changed = await fewer.send('PATCH', `/notifications/rules/${_id}`, { rule: { topics: ['*'] } });
  expect(changed.status, changed.text).toBe(403);
  await whole.done('POST', '/notifications/rules', rule('by a token with every role'));
});

test('a personal token with fewer roles than its account sets up no Git remote and no inventory source, which run with all of them', async () => {
  const name = 'keeps-remotes-and-sources';
  const methods = {
    Git: ['createRemote', 'updateRemote'],
    Inventory: ['createSource', 'updateSource', 'syncSource'],
  };
  const allowedMethods = Object.entries(methods).flatMap(([provenance, names]) =>
    names.map((method) => ({ provenance, name: method })),
  );
  const role = await service.send('admin', 'POST', '/authorization/roles', {
    role: { name, allowedMethods, allowedViews: [] },
  });
  expect(role.status, role.text).toBe(200);
  const by = await service.actor(['admin', name]);
  const remote = {
    url: 'https://git.example.net/x.git',
    branch: 'main',
    kinds: ['workflows'],
    direction: 'push',
  };
  const source = { type: 'ansible', content: 'all: {}' };
  const create = (one: Actor, label: string) => [
    () => one.send('POST', '/git/remotes', { remote: { ...remote, name: label } }),
    () => one.send('POST', '/inventory/sources', { source: { ...source, name: label } }),
  ];
  const ids: string[] = [];
  for (const send of create(by, 'by-a-session'))
    ids.push(((await send()).json as { data: { _id: string } }).data._id);
  const [remotes, sources] = [`/git/remotes/${ids[0]}`, `/inventory/sources/${ids[1]}`];
  const writes = (one: Actor, label: string) => [
    ...create(one, label),
    () => one.send('PATCH', remotes, { remote: { branch: label } }),
    () => one.send('PATCH', sources, { updates: { filters: {} } }),
    () => one.send('POST', `${sources}/sync`, {}),
  ];
  const statuses = async (roles: readonly string[], label: string) => {
    const token = await tokenOf(by, roles);
    const answers = [];
    for (const write of writes(token, label)) answers.push(await write());
    return answers.map(({ status, text }) =>
      text.includes('fewer roles') ? `${status} fewer roles` : status,
    );
  };
  expect(await statuses([name], 'by-a-token')).toEqual(Array(5).fill('403 fewer roles'));
  expect(await statuses(['admin'], 'by-an-admin')).toEqual(Array(5).fill(200));
});

test('what later runs with all rights is denied to a token that lacks a role, unless it has the role admin', async () => {
  const name = 'keeps-backups';
  const allowedMethods = [{ provenance: 'ConfigurationManager', name: 'replaceBackupPolicy' }];
  const role = { name, allowedMethods, allowedViews: [] };
  expect((await service.send('admin', 'POST', '/authorization/roles', { role })).status).toBe(200);
  const by = await service.actor(['admin', 'apiread', 'apiwrite', 'engineering', name]);
  // The documents that the requests name do not exist: a token with all rights fails later.
  const [missing, selection] = ['0'.repeat(24), { names: ['none'] }];
  const manager = '/configuration_manager';
  const schedule = { name: 'Schedule', schedule: { cron: 'never' }, selection };
  const requests: [path: string, body: object, method?: string][] = [
    ['/notifications/rules', { rule: { name: 'Rule', topics: ['*'], channels: [missing] } }],
    [`${manager}/backups/schedules`, schedule],
    [`${manager}/backups/policy`, { keep: { count: 1000 } }, 'PUT'],
    [`${manager}/campaigns`, { name: 'Campaign', treeId: missing, selection }],
    [`${OM}/triggers`, { name, type: 'manual', actionType: 'automations', actionId: automation }],
  ];
  const denied = async (roles: readonly string[]) => {
    const token = await tokenOf(by, roles);
    const paths: string[] = [];
    for (const [path, body, method = 'POST'] of requests) {
      const { text } = await token.send(method, path, body);
      if (text.includes('fewer roles than its account')) paths.push(path);
    }
    return paths;
  };
  expect(await denied(['apiwrite', 'engineering', name])).toEqual(requests.map(([path]) => path));
  expect(await denied(['admin'])).toEqual([]);
});

/** May run automations, and not read templates. */
const NARROW = ['engineering'];
let narrow: Awaited<ReturnType<typeof tokenOf>>;
let whole: Awaited<ReturnType<typeof tokenOf>>;
let manual: Trigger;
let automation = '';

beforeAll(async () => {
  const mop = { name: 'Look', passRule: true, commands: [] };
  await service.send('admin', 'POST', '/mop/createTemplate', { mop });
  const reads = await store(workflowOf('Reads', { a: reading() }));
  automation = await automationOf(reads);
  manual = await trigger(member, automation, { name: 'By hand', type: 'manual' });
  await trigger(member, automation, { name: 'By route', type: 'endpoint', routeName: 'reads' });
  await store(workflowOf('Below', { a: runs('Reads') }));
  await store(
    workflowOf('Fails', { a: traceTask('fail') }, { errorHandler: { type: 'workflow', name: 'Reads' } }),
  );
  await store(workflowOf('Held', { a: view(), b: reading() }));
  await store(workflowOf('Held twice', { a: view(), b: view(), c: reading() }));
  await store(workflowOf('Confirmed', { a: view(), b: reading({ actor: 'a' }) }));
  narrow = await tokenOf(member, NARROW);
  whole = await tokenOf(member);
});

/** A job of another account that waits at its first task. */
async function held(workflow: string, by: Actor = other): Promise<Job> {
  const job = await start(by, workflow);
  await taskComes(job._id, 'a', 'running');
  return job;
}

/** Every request that starts a job, or takes one over: the job that reads then. */
const STARTS: Record<string, (by: Actor) => Promise<Job>> = {
  'by hand': (by) => start(by, 'Reads'),
  'a manual trigger': (by) => by.done('POST', `${OM}/triggers/manual/${manual._id}/run`, { formData: {} }),
  'a route': (by) => by.done('POST', `${OM}/triggers/endpoint/reads`, {}),
  'a child job': async (by) => childOf(await start(by, 'Below')),
  'an error handler': async (by) => childOf(await start(by, 'Fails')),
  retry: async (by) => {
    const outsider = await service.actor(NARROW);
    const job = await held('Held', outsider);
    await finish(outsider, job._id, 'a');
    await over(job._id);
    await by.done('POST', `${OM}/jobs/${job._id}/tasks/b/retry`, {});
    return job;
  },
  continue: async (by) => {
    const job = await held('Held');
    await by.done('POST', `${OM}/jobs/${job._id}/continue`, { fromTask: 'b' });
    return job;
  },
  revert: async (by) => {
    const job = await held('Held twice');
    await finish(other, job._id, 'a');
    await taskComes(job._id, 'b', 'running');
    await by.done('POST', `${OM}/jobs/${job._id}/revert`, { fromTask: 'b', toTask: 'a' });
    for (const id of ['a', 'b']) {
      await taskComes(job._id, id, 'running');
      await finish(other, job._id, id);
    }
    return job;
  },
  'continue of an own job': async (by) => {
    const job = await held('Held', member);
    await by.done('POST', `${OM}/jobs/${job._id}/continue`, { fromTask: 'b' });
    return job;
  },
  'the confirmation of a task': async (by) => {
    const job = await held('Confirmed');
    await finish(by, job._id, 'a');
    return job;
  },
};

test.each(Object.keys(STARTS))(
  '%s: by a token with fewer roles the job has no others, by one with all of them it has all',
  async (way) => {
    const go = STARTS[way] as (typeof STARTS)[string];
    const [denied, allowed] = await Promise.all([go(narrow), go(whole)]);
    expect([await mayRead(denied), await mayRead(allowed)]).toEqual([false, true]);
  },
);

test('a job keeps the roles of a token that is deleted meanwhile, and its account may take it over with all rights', async () => {
  const short = await tokenOf(member, NARROW);
  const job = await held('Held', short);
  expect((await member.send('DELETE', `/user/tokens/${short.tokenId}`)).status).toBe(200);
  await finish(member, job._id, 'a');
  expect(await mayRead(job)).toBe(false);
  expect((await service.job(job._id)).tokenRoles).toEqual({ [member.id]: NARROW });
  await member.done('POST', `${OM}/jobs/${job._id}/tasks/b/retry`, {});
  expect(await mayRead(job)).toBe(true);
  expect((await service.job(job._id)).tokenRoles).toBeUndefined();
});

test('values of a child job do not reach the job above by a token that has fewer roles', async () => {
  await store(workflowOf('Fails below', { a: traceTask('fail') }));
  await store(workflowOf('Waits for it', { a: runs('Fails below') }));
  const parent = await start(member, 'Waits for it');
  let [child] = await childrenOf(parent);
  while (child?.status !== 'error') [child] = await childrenOf(parent);
  const retry = (by: Actor) =>
    by.send('POST', `${OM}/jobs/${child?._id}/tasks/a/retry`, { variables: { str: 'other' } });
  const answer = await retry(narrow);
  expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('every parent job')]);
  expect((await retry(member)).status).toBe(200);
});
const childrenOf = (parent: Job) => service.done<Job[]>('GET', `/jobs?equals[parent.job]=${parent._id}`);

/** Every write after which a trigger runs as the caller. */
const WRITES: Record<string, (by: Actor) => ReturnType<Actor['send']>> = {
  'creating a trigger': (by) =>
    by.send('POST', `${OM}/triggers`, {
      ...{ name: 'New', type: 'manual', actionType: 'automations', actionId: automation },
    }),
  'changing a trigger': (by) =>
    by.send('PATCH', `${OM}/triggers/${manual._id}`, { trigger: { description: 'changed' } }),
  'enabling a trigger': (by) =>
    by.send('PATCH', `${OM}/triggers/${manual._id}`, { trigger: { enabled: true } }),
  'having an automation with triggers start something else': async (by) => {
    const workflow = await store(workflowOf(`Held ${Math.random()}`));
    const id = await automationOf(workflow);
    await schedule(member, id);
    return by.send('PATCH', `${OM}/automations/${id}`, {
      automation: { componentId: null, componentName: 'Reads' },
    });
  },
};

test.each(Object.keys(WRITES))(
  '%s is denied to a token with fewer roles than its account, and allowed to one with all',
  async (write) => {
    const go = WRITES[write] as (typeof WRITES)[string];
    const answer = await go(narrowWriter);
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('fewer roles')]);
    expect((await go(whole)).status).toBe(200);
  },
);
let narrowWriter: Actor;
beforeAll(async () => {
  narrowWriter = await tokenOf(member, ['engineering', 'designer', 'apiwrite']);
});

test('imported and cloned triggers fail for a token with fewer roles than its account', async () => {
  const made = await schedule(member, automation);
  const file = await member.done<{ triggers: object[] }>('GET', `${OM}/automations/${automation}/export`);
  const before = await service.triggerNow(made._id);
  const named = await service.done<Trigger[]>('GET', '/triggers?limit=1000');
  const already = named.filter(({ name }) => name === made.name).map(({ _id }) => _id);
  const imported = await narrowWriter.send('PUT', `${OM}/automations`, {
    automations: [{ ...file, _id: undefined, name: 'Imported by a token' }],
  });
  expect(imported.text).toContain('fewer roles');
  const triggers = await narrowWriter.send('PUT', `${OM}/triggers`, {
    triggers: [{ ...before, name: 'More' }],
  });
  expect(triggers.text).toContain('fewer roles');
  const cloned = await narrowWriter.send('POST', `${OM}/automations/clone`, { id: automation });
  expect(cloned.text).toContain('fewer roles');
  const all = await service.done<Trigger[]>('GET', '/triggers?limit=1000');
  expect(all.filter(({ name }) => ['More', made.name].includes(name)).map(({ _id }) => _id)).toEqual(already);
});
