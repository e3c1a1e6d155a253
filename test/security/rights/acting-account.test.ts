import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { Job } from '#db/schemas/workflow/job.ts';
import { type Actor, openActing } from '../../helpers/jobs/acting.ts';
import { deed, drawn, failure, onError, runs, success, task, view } from '../../helpers/workflows.ts';

const service = await openActing();
const {
  store,
  automationOf,
  trigger,
  schedule,
  triggerNow,
  fire,
  over,
  until,
  taskComes,
  probe,
  deactivate,
} = service;
const { member, other, outsider, actor } = service;

const reads = await store(drawn('Reads the secret', { a: probe() }));
const readsIt = await automationOf(reads);
await store(drawn('Reads it below', { a: runs('Reads the secret') }));
const below = await store(drawn('Asks below', { a: runs('Reads the secret') }));

const start = (by: Actor, workflow: string) =>
  by.done<Job>('POST', '/operations-manager/jobs/start', { workflow });
const finish = (by: Actor, jobId: string, taskId: string) =>
  by.send('POST', `/operations-manager/jobs/${jobId}/tasks/${taskId}/finish`, {
    taskData: { finish_state: 'success' },
  });
const messagesOf = ({ error }: Job) => (error ?? []).map(({ message }) => String(message)).join('\n');

/** That a job ended as one of an account that may not read the secret. */
async function expectDenied(job: Job, by: Actor) {
  const ended = await over(job._id);
  expect(ended).toMatchObject({ status: 'error', actingAccount: by.id });
  expect(messagesOf(ended)).toContain('does not exist');
  expect(ended.variables?.revealed ?? null).toBeNull();
}
async function expectAllowed(job: Job, by: Actor) {
  const ended = await over(job._id);
  expect(ended, messagesOf(ended)).toMatchObject({
    status: 'complete',
    actingAccount: by.id,
    variables: { revealed: 'top secret' },
  });
}

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

test('a schedule starts jobs with the rights of whoever last wrote it, and says which trigger it was', async () => {
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

test('an event starts jobs with the rights of whoever last wrote the trigger', async () => {
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

test('child jobs and the handler of errors have the rights of the job that started them', async () => {
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
    drawn('Fails', { a: deed('fail') }, { errorHandler: { type: 'workflow', name: 'Reads the secret' } }),
  );
  const failing = await start(outsider, 'Fails');
  await over(failing._id);
  let [handler] = await service.done<Job[]>('GET', `/jobs?equals[parent.job]=${failing._id}`);
  while (!handler) [handler] = await service.done<Job[]>('GET', `/jobs?equals[parent.job]=${failing._id}`);
  await expectDenied(handler, outsider);
});

test('a clone and an import run as whoever made them; an account in a file is ignored, and the answer reports it', async () => {
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
});

test('nobody but an admin has a trigger run as another account', async () => {
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
  for (const refused of [
    await create(member.id),
    await create('0123456789abcdef01234567'),
    await patch(outsider, { runAs: member.id }),
  ]) {
    expect(refused.status).toBe(403);
    expect(refused.json).toMatchObject({ issues: [{ path: ['trigger', 'runAs'] }] });
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

test('whoever has an automation start another workflow has its triggers run as himself', async () => {
  const harmless = await store(drawn('Harmless', { a: deed('x') }));
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

test('a trigger whose account may not run the automation any more starts nothing, and says why', async () => {
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

  const hidden = await store(drawn('Hidden flow', { a: deed('x') }));
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

test('a job whose account is deactivated ends in error naming it, and continues for the user who retries the task', async () => {
  await store(drawn('Waits, then reads', { a: view(), b: probe() }));
  const leaver = await actor();
  const { _id } = await start(leaver, 'Waits, then reads');
  await taskComes(_id, 'a', 'running');
  await deactivate(leaver);
  expect((await finish(outsider, _id, 'a')).status).toBe(200);
  const ended = await over(_id);
  expect(ended.status).toBe('error');
  expect(messagesOf(ended)).toContain(
    `${leaver.username} (${leaver.id}), for which the job runs, is inactive`,
  );
  const retry = (by: Actor, body = {}) =>
    by.send('POST', `/operations-manager/jobs/${_id}/tasks/b/retry`, body);
  const values = await retry(outsider, { variables: { name: 'another' } });
  expect([values.status, values.text]).toEqual([403, expect.stringContaining('acting account')]);
  expect((await retry(outsider)).status).toBe(200);
  await expectDenied(await service.job(_id), outsider);
  expect((await retry(member)).status).toBe(200);
  await expectAllowed(await service.job(_id), member);
  expect((await service.job(_id)).actingHistory).toMatchObject([
    { from: leaver.id, to: outsider.id, by: 'retry' },
    { from: outsider.id, to: member.id, by: 'retry' },
  ]);
});

test('a job of an older version with an unknown account ends in error, and continues for the user who retries the task', async () => {
  await store(drawn('Started long ago', { a: view(), b: probe() }));
  const { _id } = await start(member, 'Started long ago');
  await taskComes(_id, 'a', 'running');
  await service.db.execute(
    sql`update jobs set doc = doc - 'actingAccount' || '{"created_by": null}', rev = rev + 1 where id = ${_id}`,
  );
  await finish(outsider, _id, 'a');
  const ended = await over(_id);
  expect(messagesOf(ended)).toContain('the account for which the job runs is unknown');
  expect((await member.send('POST', `/operations-manager/jobs/${_id}/tasks/b/retry`, {})).status).toBe(200);
  await expectAllowed(await service.job(_id), member);
  expect((await service.job(_id)).actingHistory).toMatchObject([{ from: null, to: member.id }]);
});

test('the rights of a job are those of the moment: what its account loses, the job loses', async () => {
  await store(drawn('Waits a while', { a: view(), b: probe() }));
  const guest = await actor();
  const project = `/automation-studio/projects/${service.projectId}`;
  const { members } = await member.done<{ members: object[] }>('GET', project);
  await member.done('PATCH', project, {
    members: [...members, { type: 'account', reference: guest.id, role: 'operator' }],
  });
  const kept = await start(guest, 'Waits a while');
  const lost = await start(guest, 'Waits a while');
  for (const { _id } of [kept, lost]) await taskComes(_id, 'a', 'running');
  await finish(member, kept._id, 'a');
  await expectAllowed(kept, guest);
  await member.done('PATCH', project, { members });
  await finish(member, lost._id, 'a');
  await expectDenied(lost, guest);
});

test('values of a child job are changed only by who may change those of the jobs above', async () => {
  await store(drawn('Fails below', { a: deed('fail') }));
  await store(drawn('Waits for what fails', { a: runs('Fails below') }));
  const parent = await start(member, 'Waits for what fails');
  const children = () => service.done<Job[]>('GET', `/jobs?equals[parent.job]=${parent._id}`);
  let [child] = await children();
  while (child?.status !== 'error') [child] = await children();
  const retry = (body: object) =>
    outsider.send('POST', `/operations-manager/jobs/${child?._id}/tasks/a/retry`, body);
  expect((await retry({})).status).toBe(200);
  await over(String(child._id));
  const values = await retry({ variables: { str: 'mine' } });
  expect([values.status, values.text]).toEqual([403, expect.stringContaining('every parent job')]);
});

test('whoever continues or reverts a job lends it no rights but his own', async () => {
  await store(drawn('Two looks', { a: view(), b: view(), c: probe() }));
  const first = await start(member, 'Two looks');
  await taskComes(first._id, 'a', 'running');
  await outsider.done('POST', `/operations-manager/jobs/${first._id}/continue`, { fromTask: 'c' });
  await expectDenied(await service.job(first._id), outsider);

  const second = await start(member, 'Two looks');
  await taskComes(second._id, 'a', 'running');
  await finish(member, second._id, 'a');
  await taskComes(second._id, 'b', 'running');
  await outsider.done('POST', `/operations-manager/jobs/${second._id}/revert`, {
    fromTask: 'b',
    toTask: 'a',
  });
  await taskComes(second._id, 'a', 'running');
  await finish(member, second._id, 'a');
  await taskComes(second._id, 'b', 'running');
  await finish(member, second._id, 'b');
  await expectDenied(await service.job(second._id), outsider);
  expect((await service.job(second._id)).created_by).toBe(member.id);
});

test('a task with an actor has only the rights that the acting account and the actor both have', async () => {
  await store(drawn('Confirmed', { a: view(), b: probe({ actor: 'a' }) }));
  const cases = [
    { starts: member, confirms: outsider, status: 'error' },
    { starts: outsider, confirms: member, status: 'error' },
    { starts: member, confirms: other, status: 'complete' },
  ] as const;
  for (const { starts, confirms, status } of cases) {
    const { _id } = await start(starts, 'Confirmed');
    await taskComes(_id, 'a', 'running');
    expect((await finish(confirms, _id, 'a')).status).toBe(200);
    const ended = await over(_id);
    expect(ended, messagesOf(ended)).toMatchObject({
      status,
      actingAccount: starts.id,
      tasks: { b: { confirmedBy: confirms.id } },
    });
  }
  const admin = await actor(['admin']);
  for (const [starts, confirms] of [
    [admin, outsider],
    [outsider, admin],
  ] as const) {
    const { _id } = await start(starts, 'Confirmed');
    await taskComes(_id, 'a', 'running');
    await finish(confirms, _id, 'a');
    expect((await over(_id)).status).toBe('error');
  }
});

test('a task whose actor nobody finished ends in error, though the job was continued past it', async () => {
  await store(drawn('Never confirmed', { a: view(), b: deed('x'), c: probe({ actor: 'a' }) }));
  const { _id } = await start(member, 'Never confirmed');
  await taskComes(_id, 'a', 'running');
  await member.done('POST', `/operations-manager/jobs/${_id}/continue`, { fromTask: 'b' });
  const ended = await over(_id);
  expect(ended.status).toBe('error');
  expect(messagesOf(ended)).toContain('needs task a to be finished by a user first');
  expect(ended.variables?.revealed ?? null).toBeNull();
});

test('the child jobs of a task with an actor, and the jobs below them, have no rights but those that both accounts have', async () => {
  await store(
    drawn('Confirmed below', {
      a: view(),
      b: { ...runs('Asks below'), actor: 'a' },
    }),
  );
  const childOf = async (id: string): Promise<Job> => {
    for (const end = Date.now() + 30_000; Date.now() < end; ) {
      const [child] = await service.done<Job[]>('GET', `/jobs?equals[parent.job]=${id}`);
      if (child) return child;
    }
    throw new Error(`no child job of ${id}`);
  };
  for (const [starts, confirms, status] of [
    [member, outsider, 'error'],
    [outsider, member, 'error'],
    [member, other, 'complete'],
  ] as const) {
    const { _id } = await start(starts, 'Confirmed below');
    await taskComes(_id, 'a', 'running');
    expect((await finish(confirms, _id, 'a')).status).toBe(200);
    const child = await childOf(_id);
    const grandchild = await over((await childOf(child._id))._id);
    for (const job of [child, grandchild]) expect(job.confirmedBy).toEqual([confirms.id]);
    expect(grandchild, messagesOf(grandchild)).toMatchObject({ status, actingAccount: starts.id });
  }
});

test('a task that needs four eyes is not finished by who started the job, acts for it or took it over', async () => {
  await store(
    drawn(
      'Needs another',
      { a: deed('fail'), b: { ...view(), fourEyes: true }, c: deed('done') },
      {
        transitions: {
          workflow_start: { a: success },
          a: { b: onError },
          b: { c: success, workflow_end: failure },
          c: { workflow_end: success },
          workflow_end: {},
        },
      },
    ),
  );
  const admin = await actor(['admin']);
  const { _id } = await start(admin, 'Needs another');
  const { tasks } = await taskComes(_id, 'b', 'running');
  const [pass] = tasks.b?.iterations ?? [];
  const own = (by: Actor, how: string, body?: object) =>
    by.send('POST', `/operations-manager/tasks/${pass}/${how}`, body);
  for (const refused of [
    await finish(admin, _id, 'b'),
    await own(admin, 'claim'),
    await own(outsider, 'assign', { userId: admin.id }),
    await admin.send('POST', `/operations-manager/jobs/${_id}/continue`, { fromTask: 'c' }),
  ]) {
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('needs four eyes');
  }
  // Going back makes the outsider its acting account: he has no second pair of eyes any more, either.
  await outsider.done('POST', `/operations-manager/jobs/${_id}/revert`, { fromTask: 'b', toTask: 'a' });
  await taskComes(_id, 'b', 'running');
  await other.done('POST', `/operations-manager/jobs/${_id}/revert`, { fromTask: 'b', toTask: 'a' });
  await taskComes(_id, 'b', 'running');
  for (const by of [admin, outsider, other]) expect((await finish(by, _id, 'b')).status).toBe(403);
  expect((await finish(member, _id, 'b')).status).toBe(200);
  expect((await over(_id)).status).toBe('complete');
});

test('four eyes is true or false', async () => {
  const flow = drawn('Odd eyes', { a: { ...view(), fourEyes: 'yes' } as never });
  const answer = await service.send('admin', 'POST', '/automation-studio/automations', { automation: flow });
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('fourEyes');
});

test('only its acting account or an admin changes the groups of a job', async () => {
  await store(drawn('Looks', { a: view() }));
  const { _id } = await start(member, 'Looks');
  const set = (by: Actor) => by.send('PUT', `/operations-manager/jobs/${_id}/groups`, { groups: [] });
  expect((await set(outsider)).status).toBe(403);
  expect((await set(member)).status).toBe(200);
  expect((await set(await actor(['admin']))).status).toBe(200);
});

test('a request cannot choose for whom a job acts, nor can its variables', async () => {
  const odd = await outsider.send('POST', '/operations-manager/jobs/start', {
    workflow: 'Reads the secret',
    options: { actingAccount: member.id },
  });
  expect(odd.status).toBe(400);
  await store(
    drawn('Renames itself', {
      a: task('newVariable', { name: 'initiator', value: member.username }, { value: null }),
      b: task('newVariable', { name: 'actingAccount', value: member.id }, { value: null }),
      c: probe(),
    }),
  );
  const job = await start(outsider, 'Renames itself');
  await expectDenied(job, outsider);
  expect((await service.job(job._id)).initiator).toBe(outsider.username);
});
