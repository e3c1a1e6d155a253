import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { Job } from '#db/schemas/workflow/job.ts';
import type { Actor } from '../../helpers/jobs/acting.ts';
import { openSecretReaders } from '../../helpers/jobs/secret-readers.ts';
import { isLong } from '../../helpers/long.ts';
import { traceTask, workflowOf } from '../../helpers/workflows.ts';

const service = await openSecretReaders();
const {
  store,
  automationOf,
  trigger,
  schedule,
  triggerNow,
  fire,
  over,
  until,
  deactivate,
  member,
  other,
  outsider,
  actor,
  reads,
  readsIt,
  below,
  start,
  expectDenied,
  expectAllowed,
} = service;

test('a job that is started by hand, by a manual trigger or by a route has the rights of the caller, not of the author', async () => {
  const manual = await trigger(member, readsIt, { name: 'By hand', type: 'manual' });
  const route = await trigger(member, readsIt, { name: 'By route', type: 'endpoint', routeName: 'read-it' });
  const ways: ((by: Actor) => Promise<Job>)[] = [
    (by) => start(by, 'Reads the secret'),
    (by) => by.done('POST', `/operations-manager/triggers/manual/${manual._id}/run`, { formData: {} }),
    (by) =>
      by.done(
        'POST',
        `/operations-manager/triggers/endpoint/${route.type === 'endpoint' ? route.routeName : ''}`,
        {},
      ),
  ];
  for (const way of ways) {
    await expectDenied(await way(outsider), outsider);
    await expectAllowed(await way(member), member);
  }
});

test('a schedule starts jobs with the rights of the user who last wrote it, and says which trigger it was', async () => {
  const made = await schedule(outsider, readsIt);
  expect(made.runAs).toBe(outsider.id);
  const job = await fire(made._id);
  if (!job) throw new Error('nothing was started');
  const initiator = `trigger ${made.name} (${made._id})`;
  expect(job).toMatchObject({ created_by: null, initiator, variables: { initiator } });
  await expectDenied(job, outsider);
  await until(job._id, () =>
    service.logged.some((line) => line.includes('a job failed') && line.includes(job._id)),
  );
  const lines = service.logged.filter((line) => line.includes('a job failed') && line.includes(job._id));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'info', job: job._id, task: 'a', trigger: initiator, account: outsider.id },
  ]);
  await member.done('PATCH', `/operations-manager/triggers/${made._id}`, {
    trigger: { description: 'Mine' },
  });
  const mine = await fire(made._id);
  if (!mine) throw new Error('nothing was started');
  await expectAllowed(mine, member);
  expect((await triggerNow(made._id)).lastResult).toMatchObject({ started: true, jobId: mine._id });
});

test('an event starts jobs with the rights of the user who last wrote the trigger', async () => {
  const waits = (by: Actor, name: string) =>
    trigger(by, readsIt, {
      name,
      type: 'eventSystem',
      source: '@vendor/configuration-manager',
      topic: 'backupStored',
    });
  await waits(outsider, 'Event of the outsider');
  await waits(member, 'Event of the member');
  await service.send('admin', 'POST', '/configuration_manager/import/backups', {
    backups: [{ name: 'edge-1', rawConfig: 'hostname edge-1\n', date: '2026-02-03T04:05:06.000Z' }],
  });
  const startedBy = async (name: string): Promise<Job> => {
    for (const end = Date.now() + 30_000; ; ) {
      const jobs = await service.done<Job[]>('GET', '/jobs?limit=100');
      const found = jobs.find(({ initiator }) => initiator?.startsWith(`trigger ${name} (`));
      if (found) return found;
      if (Date.now() > end) throw new Error(`trigger ${name} started nothing`);
    }
  };
  await expectDenied(await startedBy('Event of the outsider'), outsider);
  await expectAllowed(await startedBy('Event of the member'), member);
});

test.skipIf(!isLong)(
  'child jobs and the handler of errors have the rights of the job that started them',
  async () => {
    for (const [by, status] of [
      [outsider, 'error'],
      [member, 'complete'],
    ] as const) {
      const parent = await start(by, below.name);
      const children = () => service.done<Job[]>('GET', `/jobs?equals[parent.job]=${parent._id}`);
      await until(parent._id, () => true);
      let [child] = await children();
      while (!child || child.status === 'running') [child] = await children();
      expect(child).toMatchObject({ status, actingAccount: by.id });
    }
    await store(
      workflowOf(
        'Fails',
        { a: traceTask('fail') },
        { errorHandler: { type: 'workflow', name: 'Reads the secret' } },
      ),
    );
    const failing = await start(outsider, 'Fails');
    await over(failing._id);
    let [handler] = await service.done<Job[]>('GET', `/jobs?equals[parent.job]=${failing._id}`);
    while (!handler) [handler] = await service.done<Job[]>('GET', `/jobs?equals[parent.job]=${failing._id}`);
    await expectDenied(handler, outsider);
  },
);

test.skipIf(!isLong)(
  'a clone and an import run as the user who made them; an account in a file is ignored, and the answer reports it',
  async () => {
    const automation = await service.send('admin', 'POST', '/operations-manager/automations', {
      name: 'To be copied',
      componentType: 'workflows',
      componentId: reads._id,
    });
    const { _id: actionId } = (automation.json as { data: { _id: string } }).data;
    await schedule(member, actionId, { name: 'Copied' });
    type Clone = { metadata: { triggerCloneResults: { data: { data: { _id: string; runAs: string } }[] } } };
    const answer = await outsider.send('POST', '/operations-manager/automations/clone', { id: actionId });
    const [clone] = (answer.json as Clone).metadata.triggerCloneResults.data;
    expect(clone?.data.runAs).toBe(outsider.id);
    await outsider.done('PATCH', `/operations-manager/triggers/${clone?.data._id}`, {
      trigger: { enabled: true },
    });
    const job = await fire(String(clone?.data._id));
    if (!job) throw new Error('nothing was started');
    await expectDenied(job, outsider);

    const exported = await member.done<{ triggers: object[] }>(
      'GET',
      `/operations-manager/automations/${actionId}/export`,
    );
    expect(JSON.stringify(exported)).not.toContain('runAs');
    const file = { ...exported, triggers: exported.triggers.map((one) => ({ ...one, runAs: member.id })) };
    type Result = { triggers: { data: { _id: string; runAs: string }; automaticChanges: string[] }[] };
    const [imported] = await outsider.done<Result[]>('PUT', '/operations-manager/automations', {
      automations: [file],
    });
    const [stored] = imported?.triggers ?? [];
    expect(stored?.data.runAs).toBe(outsider.id);
    expect(stored?.automaticChanges.join()).toContain('runAs is ignored in a file');
    for (const runAs of [7, { $ne: null }, ['x']]) {
      const odd = { ...exported, triggers: exported.triggers.map((one) => ({ ...one, runAs })) };
      const [again] = await outsider.done<Result[]>('PUT', '/operations-manager/automations', {
        automations: [odd],
      });
      expect(again?.triggers[0]?.data.runAs).toBe(outsider.id);
    }
  },
);

test('only an admin may set another account for a trigger', async () => {
  const made = await schedule(outsider, readsIt);
  const patch = (by: Actor, given: object) =>
    by.send('PATCH', `/operations-manager/triggers/${made._id}`, { trigger: given });
  const create = (runAs: unknown) =>
    outsider.send('POST', '/operations-manager/triggers', {
      name: 'As another',
      type: 'schedule',
      actionType: 'automations',
      actionId: readsIt,
      firstRunAt: Date.now() + 86_400_000,
      runAs,
    });
  for (const rejected of [
    await create(member.id),
    await create('0123456789abcdef01234567'),
    await patch(outsider, { runAs: member.id }),
  ]) {
    expect(rejected.status).toBe(403);
    expect(rejected.json).toMatchObject({ issues: [{ path: ['trigger', 'runAs'] }] });
  }
  expect((await create(7)).status).toBe(400);
  expect((await patch(outsider, { runAs: { id: member.id } })).status).toBe(400);
  expect((await triggerNow(made._id)).runAs).toBe(outsider.id);

  const admin = await actor(['admin']);
  expect((await patch(admin, { runAs: '0123456789abcdef01234567' })).status).toBe(400);
  expect((await patch(admin, { runAs: member.id })).status).toBe(200);
  expect((await triggerNow(made._id)).runAs).toBe(member.id);
  const whole = await triggerNow(made._id);
  expect((await patch(admin, whole)).json).toMatchObject({ data: { runAs: member.id } });
  // A document that is sent back as it was read keeps nobody else's rights.
  expect((await patch(outsider, { ...whole, description: 'Changed' })).json).toMatchObject({
    data: { runAs: outsider.id },
    metadata: { ignored: expect.arrayContaining(['runAs']) },
  });
});

test('a user who has an automation start another workflow has its triggers run as himself', async () => {
  const harmless = await store(workflowOf('Harmless', { a: traceTask('x') }));
  const actionId = await automationOf(harmless);
  const made = await schedule(member, actionId);
  const patch = (automation: object) =>
    outsider.send('PATCH', `/operations-manager/automations/${actionId}`, { automation });
  expect((await patch({ description: 'Better' })).status).toBe(200);
  expect((await triggerNow(made._id)).runAs).toBe(member.id);
  expect((await patch({ componentName: 'Reads the secret' })).status).toBe(200);
  const job = await fire(made._id);
  if (!job) throw new Error('nothing was started');
  await expectDenied(job, outsider);
});

test('a trigger runs as a service account only for its owner', async () => {
  const maker = await actor(['admin']);
  const made = await maker.send('POST', '/oauth/serviceAccounts', {
    accountData: { name: `robot-${maker.id}`, description: '' },
  });
  expect(made.status, made.text).toBe(200);
  const robot = (made.json as { results: { client_id: string } }).results.client_id;
  const denied = await outsider.send('POST', '/operations-manager/triggers', {
    name: 'As the robot',
    type: 'manual',
    actionType: 'automations',
    actionId: readsIt,
    runAs: robot,
  });
  expect(denied.status).toBe(403);
  // The owner needs no role of admin: an admin made the outsider one.
  await service.db.execute(
    sql`update accounts set doc = jsonb_set(doc, '{createdBy}', to_jsonb(${outsider.id}::text)) where id = ${robot}`,
  );
  const own = await schedule(outsider, readsIt, { runAs: robot });
  expect(own.runAs).toBe(robot);
  const sentBack = await outsider.send('PATCH', `/operations-manager/triggers/${own._id}`, { trigger: own });
  expect(sentBack.json).toMatchObject({ data: { runAs: robot } });
  expect(
    (await outsider.send('PATCH', `/operations-manager/triggers/${own._id}`, { enabled: true })).json,
  ).toMatchObject({
    data: { runAs: outsider.id },
  });
});

test('a trigger whose account may no longer run the automation starts nothing and names the reason', async () => {
  const leaver = await actor();
  const made = await schedule(leaver, readsIt);
  await deactivate(leaver);
  expect(await fire(made._id)).toBeUndefined();
  const { lastResult } = await triggerNow(made._id);
  expect(lastResult).toMatchObject({ started: false, jobId: null });
  expect(lastResult?.message).toContain(
    `${leaver.username} (${leaver.id}), for which the trigger runs, is inactive`,
  );
  expect(JSON.parse(service.lookedAt.at(-1) ?? '')).toMatchObject({
    level: 40,
    trigger: made._id,
    account: leaver.id,
  });
  for (const end = Date.now() + 20_000; Date.now() < end; ) {
    if ((await service.eventsOf('triggerRefused')).length > 0) break;
  }
  expect(await service.eventsOf('triggerRefused')).toContainEqual({
    triggerId: made._id,
    name: made.name,
    runAs: leaver.id,
    reason: lastResult?.message,
  });

  const designer = await actor(['designer']);
  const drawnOnly = await schedule(designer, readsIt);
  expect(await fire(drawnOnly._id)).toBeUndefined();
  expect((await triggerNow(drawnOnly._id)).lastResult?.message).toContain('needs one of the roles');

  const hidden = await store(workflowOf('Hidden flow', { a: traceTask('x') }));
  await service.db.execute(
    `update workflows set project_id = '${service.projectId}' where id = '${hidden._id}'`,
  );
  const ofProject = await automationOf(hidden);
  const lapsed = await schedule(other, ofProject);
  await service.db.execute(
    `update triggers set doc = doc || '{"runAs": "${outsider.id}"}' where id = '${lapsed._id}'`,
  );
  expect(await fire(lapsed._id)).toBeUndefined();
  expect((await triggerNow(lapsed._id)).lastResult?.message).toContain('execute');
  const allowed = await schedule(other, ofProject);
  expect(await fire(allowed._id)).toMatchObject({ actingAccount: other.id });
});
