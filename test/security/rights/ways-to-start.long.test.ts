import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import type { Job } from '#db/schemas/workflow/job.ts';
import type { Trigger } from '#db/schemas/workflow/trigger.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { sql } from '#db/statement.ts';
import { insertAsset } from '#server/domains/assets/stored/assets.service.ts';
import { asAdmin, asset, objectId } from '../../helpers/documents/assets.ts';
import { overwriting, startsOfImports } from '../../helpers/documents/imported-starts.ts';
import { type Actor, openActing } from '../../helpers/jobs/acting.ts';
import { DENIED, probesOf, probingWorkflow } from '../../helpers/jobs/probes.ts';
import { runs, traceTask, view, workflowOf } from '../../helpers/workflows.ts';

const service = await openActing();
const { store, automationOf, trigger, schedule, triggerNow, fire, taskComes, member } = service;

type Json = Record<string, unknown>;
const EVERY_ROLE = ['apiread', 'apiwrite', 'designer', 'engineering', 'support', 'other'];

/** A transformation that only members of the project can read. */
const turnId = objectId();
await asAdmin(service, (ctx) =>
  insertAsset(ctx, 'transformation', turnId, asset('transformation', 'Turn'), {
    projectId: service.projectId,
  }),
);

const PROBES = probesOf(turnId);
const NAMES = Object.keys(PROBES);
const probing = (name: string, first: Workflow['tasks'] = {}, more: Partial<Workflow> = {}) =>
  store(probingWorkflow(PROBES, name, first, more));

let accounts: { label: string; by: Actor }[] = [];
/** By account and task: whether the endpoint lets the account in. */
const permitted = new Map<string, boolean>();
let probes: Workflow;
let actionId = '';
let manual: Trigger;
let route: Trigger;
const admin = await service.actor(['admin']);

/** An account with single permissions, and no role that came with the platform. */
async function customActor(): Promise<Actor> {
  const permissions = ['startJob', 'runManualTrigger', 'runScheduleTrigger', 'retryTask', 'continueJob'];
  const allowedMethods = [
    ...permissions.map((name) => ({ provenance: 'OperationsManager', name })),
    ...['createTrigger', 'updateTrigger'].map((name) => ({ provenance: 'OperationsManager', name })),
    { provenance: 'OrchestratorManager', name: 'restAction' },
    { provenance: 'Prebuilts', name: 'importPrebuilt' },
  ];
  const name = `single-${Math.random()}`;
  await admin.done('POST', '/authorization/roles', { role: { name, allowedMethods, allowedViews: [] } });
  return service.actor([name]);
}

beforeAll(async () => {
  const mop = { name: 'Look', passRule: true, commands: [] };
  const made = await admin.send('POST', '/mop/createTemplate', { mop });
  expect(made.status, made.text).toBe(200);
  await store(workflowOf('Harmless', { 1: traceTask('x') }));
  probes = await probing('Probes');
  actionId = await automationOf(probes);
  manual = await trigger(admin, actionId, { name: 'By hand', type: 'manual' });
  route = await trigger(admin, actionId, { name: 'By route', type: 'endpoint', routeName: 'probes' });
  await trigger(admin, actionId, { name: 'Turned', type: 'endpoint', routeName: 'turned', jst: turnId });
  const all = async () => service.actor(EVERY_ROLE);
  accounts = [
    { label: 'designer', by: await service.actor(['designer']) },
    { label: 'apiwrite', by: await service.actor(['apiwrite']) },
    { label: 'engineering', by: await service.actor(['engineering']) },
    { label: 'support', by: await service.actor(['support']) },
    { label: 'project viewer', by: await all() },
    { label: 'project operator', by: await all() },
    { label: 'single permissions', by: await customActor() },
  ];
  const project = `/automation-studio/projects/${service.projectId}`;
  const { members } = await member.done<{ members: object[] }>('GET', project);
  const roleOf = { 'project viewer': 'viewer', 'project operator': 'operator' } as Record<string, string>;
  const more = accounts.flatMap(({ label, by }) =>
    roleOf[label] ? [{ type: 'account', reference: by.id, role: roleOf[label] }] : [],
  );
  await member.done('PATCH', project, { members: [...members, ...more] });
  const { name } = await admin.done<Job>('GET', `/operations-manager/jobs/${(await begin(admin))?._id}`);
  expect(name).toBe('Probes');
  for (const { by } of accounts) {
    for (const [id, { path, body }] of Object.entries(PROBES)) {
      const answer = await by.send(body ? 'POST' : 'GET', path, body);
      // Only the project's content is known to exist: for the others a permitted caller learns what is missing.
      const isDenied = answer.status === 403 || ('ce'.includes(id) && answer.status === 404);
      permitted.set(`${by.id} ${id}`, !isDenied);
    }
  }
});

/** The data of an answer; undefined where the account is not let in at all. */
async function tried<Data>(
  by: Actor,
  method: string,
  path: string,
  body?: unknown,
): Promise<Data | undefined> {
  const answer = await by.send(method, path, body);
  expect([200, 403, 404, 422], answer.text).toContain(answer.status);
  return answer.status === 200 ? (answer.json as { data: Data }).data : undefined;
}
const OM = '/operations-manager';
const begin = (by: Actor, workflow = 'Probes') => tried<Job>(by, 'POST', `${OM}/jobs/start`, { workflow });
const enabled = (by: Actor, id: string) =>
  tried<Trigger>(by, 'PATCH', `${OM}/triggers/${id}`, { trigger: { enabled: true } });

/** The first job that a job started. */
async function startedBy(parent: Job | undefined): Promise<Job | undefined> {
  if (!parent) return undefined;
  for (const end = Date.now() + 30_000; Date.now() < end; await sleep(20)) {
    const [child] = await service.done<Job[]>('GET', `/jobs?equals[parent.job]=${parent._id}`);
    if (child) return child;
  }
  throw new Error(`job ${parent._id} started none`);
}

/** An automation of an admin with a schedule of his, that starts a workflow. */
async function scheduled(workflow: string): Promise<{ id: string; scheduleId: string }> {
  const automation = await admin.done<{ _id: string }>('POST', `${OM}/automations`, {
    name: `${workflow} ${Math.random()}`,
    componentType: 'workflows',
    componentName: workflow,
  });
  return { id: automation._id, scheduleId: (await schedule(admin, automation._id))._id };
}

/** Whether an event has still to start what a trigger names: where its account may not read the event, nothing is noted. */
async function isQueued({ _id }: Trigger): Promise<boolean> {
  const found = await rows(
    service.db,
    sql`select from dbos.workflow_status
        where workflow_uuid like ${`event:%:${_id}`} and status in ('ENQUEUED', 'PENDING')`,
  );
  return found.length > 0;
}

/** What an event trigger of the account starts. */
async function byEvent(by: Actor, more: Json = {}): Promise<Job | undefined> {
  const made = await tried<Trigger>(by, 'POST', `${OM}/triggers`, {
    ...{ name: `Event ${by.id}`, type: 'eventSystem', actionType: 'automations', actionId },
    ...{ source: '@vendor/configuration-manager', topic: 'backupStored', ...more },
  });
  if (!made) return undefined;
  const known = await triggerNow(eventMark._id);
  const backups = [
    {
      name: 'edge-1',
      rawConfig: `hostname ${by.id} ${Object.keys(more)}\n`,
      date: '2026-02-03T04:05:06.000Z',
    },
  ];
  await admin.send('POST', '/configuration_manager/import/backups', { backups });
  for (const end = Date.now() + 30_000; Date.now() < end; await sleep(20)) {
    // The admin's trigger waits for the same event: his job says that both are in the queue.
    const mark = await triggerNow(eventMark._id);
    if (mark.lastResult?.jobId === known.lastResult?.jobId || (await isQueued(made))) continue;
    const { lastResult } = await triggerNow(made._id);
    await admin.done('PATCH', `${OM}/triggers/${made._id}`, { trigger: { enabled: false } });
    return lastResult?.jobId ? service.job(lastResult.jobId) : undefined;
  }
  throw new Error('the event reached nobody');
}

/** Every manner of starting, used by an account: the job that then runs for it; undefined where the account is denied. */
const STARTS: Record<string, (by: Actor) => Promise<Job | undefined>> = {
  'by hand': (by) => begin(by),
  'a manual trigger': (by) => tried(by, 'POST', `${OM}/triggers/manual/${manual._id}/run`, { formData: {} }),
  'a route': (by) =>
    tried(by, 'POST', `${OM}/triggers/endpoint/${route.type === 'endpoint' ? route.routeName : ''}`, {}),
  'a route with a transformation': (by) => tried(by, 'POST', `${OM}/triggers/endpoint/turned`, {}),
  'a schedule': async (by) => {
    const made = await tried<Trigger>(by, 'POST', `${OM}/triggers`, {
      ...{ name: `Clock ${by.id}`, type: 'schedule', actionType: 'automations', actionId },
      ...{ firstRunAt: Date.now() + 86_400_000, repeatUnit: 'day' },
    });
    return made && fire(made._id);
  },
  'an event': (by) => byEvent(by),
  'an event with a transformation': (by) => byEvent(by, { jst: turnId }),
  'a child job': async (by) => startedBy(await begin(by, 'Above')),
  'an error handler': async (by) => startedBy(await begin(by, 'Failing')),
  retry: async (by) => {
    const job = late.get(by.id);
    if (!job) throw new Error('no job to retry');
    const answer = await by.send('POST', `${OM}/jobs/${job._id}/tasks/f1/retry`, {});
    return answer.status === 200 ? job : undefined;
  },
  continue: async (by) => {
    const job = await admin.done<Job>('POST', `${OM}/jobs/start`, { workflow: 'Held' });
    await taskComes(job._id, 'f1', 'running');
    const answer = await by.send('POST', `${OM}/jobs/${job._id}/continue`, { fromTask: 'a' });
    return answer.status === 200 ? job : undefined;
  },
  revert: async (by) => {
    const job = await admin.done<Job>('POST', `${OM}/jobs/start`, { workflow: 'Held twice' });
    const finish = async (id: string) => {
      await taskComes(job._id, id, 'running');
      await admin.send('POST', `${OM}/jobs/${job._id}/tasks/${id}/finish`, {
        taskData: { finish_state: 'success' },
      });
    };
    await finish('f1');
    await taskComes(job._id, 'f2', 'running');
    const answer = await by.send('POST', `${OM}/jobs/${job._id}/revert`, {
      fromTask: 'f2',
      toTask: 'f1',
    });
    if (answer.status !== 200) return undefined;
    await finish('f1');
    await finish('f2');
    return job;
  },
  'import and enabling': async (by) => {
    const { id } = await scheduled('Probes');
    const file = await admin.done<{ triggers: Json[] }>('GET', `${OM}/automations/${id}/export`);
    const triggers = file.triggers.map((one) => ({ ...one, runAs: admin.id, enabled: false }));
    const name = `Imported ${by.id}`;
    const answer = await tried<{ triggers: { data: Trigger }[] }[]>(by, 'PUT', `${OM}/automations`, {
      automations: [
        { ...file, _id: undefined, name, triggers: triggers.map((one) => ({ ...one, _id: undefined })) },
      ],
    });
    const made = answer?.[0]?.triggers[0]?.data;
    return made && (await enabled(by, made._id)) ? fire(made._id) : undefined;
  },
  'clone and enabling': async (by) => {
    const { id } = await scheduled('Probes');
    type Clone = { metadata: { triggerCloneResults: { data: { data: Trigger }[] } } };
    const answer = await by.send('POST', `${OM}/automations/clone`, { id });
    if (answer.status !== 200) return undefined;
    const made = (answer.json as Clone).metadata.triggerCloneResults.data[0]?.data;
    return made && (await enabled(by, made._id)) ? fire(made._id) : undefined;
  },
  'an automation that starts another workflow': async (by) => {
    const { id, scheduleId } = await scheduled('Harmless');
    const changed = await tried(by, 'PATCH', `${OM}/automations/${id}`, {
      automation: { componentName: 'Probes' },
    });
    return changed === undefined ? undefined : fire(scheduleId);
  },
  ...startsOfImports({ ...{ service, admin, tried, begin, enabled, scheduled }, probes: () => probes }),
};

let eventMark: Trigger;
/** By account: a job of the admin that failed, since its first task runs a workflow that was not there yet. */
const late = new Map<string, Job>();

beforeAll(async () => {
  await store(workflowOf('Above', { 1: runs('Probes') }));
  await store(
    workflowOf('Failing', { 1: traceTask('fail') }, { errorHandler: { type: 'workflow', name: 'Probes' } }),
  );
  await probing('Held', { f1: view() });
  await probing('Held twice', { f1: view(), f2: view() });
  await probing('Late', { f1: runs('$var.job.later') });
  eventMark = await trigger(
    admin,
    await automationOf(await store(workflowOf('Mark', { 1: traceTask('x') }))),
    {
      ...{ name: 'Mark', type: 'eventSystem' },
      ...{ source: '@vendor/configuration-manager', topic: 'backupStored' },
    },
  );
  for (const { by } of accounts) {
    const job = await admin.done<Job>('POST', `${OM}/jobs/start`, {
      workflow: 'Late',
      options: { variables: { later: 'Comes later' } },
    });
    late.set(by.id, await service.comes(job._id, 'error'));
  }
  await store(workflowOf('Comes later', { 1: traceTask('x') }));
});

/** What jobs need more for than its endpoint: to run a component of a project they need `execute` there (decision 0057). */
const isReadOnly = (label: string, id: string) => label === 'project viewer' && 'ce'.includes(id);

/** Who can start jobs in a manner, where it is not everybody whom its roles permit. */
const STARTERS: Record<string, string[]> = {
  // A copy for whoever does not see the project; its viewer and its operator may not write it.
  'an import onto a project': ['apiwrite'],
  'a package with a schedule': ['single permissions'],
  'a package over an automation of somebody else': ['single permissions'],
  'a route with a transformation': ['project operator'],
  'an event with a transformation': ['project operator'],
};

const figures = { cells: 0, started: 0, open: 0 };

test.each(Object.keys(STARTS))(
  '%s: the tasks of the job do what the account may do at the endpoints, and nothing else',
  async (start) => {
    const wrong: string[] = [];
    const startedFor: string[] = [];
    for (const { label, by } of accounts) {
      figures.cells += NAMES.length;
      const job = await STARTS[start]?.(by);
      if (!job) continue;
      startedFor.push(label);
      const ended = await service.until(job._id, ({ status }) => status !== 'running');
      if (ended.actingAccount !== by.id) wrong.push(`${label}: the job acts for ${ended.actingAccount}`);
      for (const id of NAMES) {
        const reported = (ended.error ?? [])
          .filter((one) => one.task === id)
          .map(({ message }) => String(message));
        const state = ended.tasks[id]?.status;
        if (state !== 'complete' && state !== 'error') wrong.push(`${label}: task ${id} is ${state}`);
        const may = !reported.some((message) => DENIED.test(message));
        const mayThere = permitted.get(`${by.id} ${id}`) && !isReadOnly(label, id);
        if (may && !mayThere) figures.open += 1;
        if (may !== mayThere)
          wrong.push(`${label}: ${PROBES[id]?.name} ${may ? 'done' : 'denied'}: ${reported.join()}`);
      }
    }
    figures.started += startedFor.length;
    console.log(`starts: ${start} by ${startedFor.join(', ')}; so far ${JSON.stringify(figures)}`);
    expect(wrong).toEqual([]);
    // Each manner is used by somebody who may: else the test would prove nothing.
    if (STARTERS[start]) expect(startedFor).toEqual(STARTERS[start]);
    else expect(startedFor).toContain('project operator');
  },
);

test('the endpoints allow some accounts and deny others, so that each task can be done and denied', () => {
  for (const id of NAMES) {
    const answers = new Set(accounts.map(({ by }) => permitted.get(`${by.id} ${id}`)));
    expect([...answers].sort(), PROBES[id]?.name).toEqual([false, true]);
  }
  expect(figures.open).toBe(0);
});

test('a package does not overwrite an automation that its installer may not change, nor a workflow of a project', async () => {
  const single = accounts.find(({ label }) => label === 'single permissions')?.by as Actor;
  const groups = await admin.done<{ _id: string }>('POST', '/authorization/groups', {
    group: { name: `Closed ${Math.random()}` },
  });
  const before = await admin.done<{ _id: string; name: string }>('POST', `${OM}/automations`, {
    ...{ name: `Closed ${Math.random()}`, componentType: 'workflows', componentName: 'Harmless' },
    gbac: { read: [], write: [groups._id] },
  });
  const over = (componentName: string, name: string) =>
    single.send('POST', '/prebuilts/import', overwriting(componentName, name));
  const closed = await over('Probes', before.name);
  expect([403, 404, 409], closed.text).toContain(closed.status);
  expect(await admin.done('GET', `${OM}/automations/${before._id}`)).toMatchObject({
    componentName: 'Harmless',
  });

  const hidden = await store(workflowOf('Hidden in the project', { a: traceTask('x') }));
  await service.db.execute(
    `update workflows set project_id = '${service.projectId}' where id = '${hidden._id}'`,
  );
  const unseen = await over(hidden.name, `New ${Math.random()}`);
  expect([403, 422], unseen.text).toContain(unseen.status);
});
