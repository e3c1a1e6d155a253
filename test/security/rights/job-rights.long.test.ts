import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { Job } from '#db/schemas/workflow/job.ts';
import type { Actor } from '../../helpers/jobs/acting.ts';
import { openSecretReaders } from '../../helpers/jobs/secret-readers.ts';
import { createRobot, sendAs, signIn } from '../../helpers/people.ts';
import {
  failure,
  onError,
  runs,
  success,
  task,
  traceTask,
  view,
  workflowOf,
} from '../../helpers/workflows.ts';

const service = await openSecretReaders();
const {
  store,
  over,
  taskComes,
  probe,
  deactivate,
  member,
  other,
  outsider,
  actor,
  start,
  finish,
  messagesOf,
  expectDenied,
  expectAllowed,
} = service;

test('a job whose account is deactivated ends in error naming it, and continues for the user who retries the task', async () => {
  await store(workflowOf('Waits, then reads', { a: view(), b: probe() }));
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
  await store(workflowOf('Started long ago', { a: view(), b: probe() }));
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
  await store(workflowOf('Waits a while', { a: view(), b: probe() }));
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

test('values of a child job are changed only by accounts that may change those of its ancestors', async () => {
  await store(workflowOf('Fails below', { a: traceTask('fail') }));
  await store(workflowOf('Waits for what fails', { a: runs('Fails below') }));
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

test('a user who continues or reverts a job lends it no rights but his own', async () => {
  await store(workflowOf('Two looks', { a: view(), b: view(), c: probe() }));
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
  await store(workflowOf('Confirmed', { a: view(), b: probe({ actor: 'a' }) }));
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

test('a task that was never finished ends in error, although the job was continued past it', async () => {
  await store(workflowOf('Never confirmed', { a: view(), b: traceTask('x'), c: probe({ actor: 'a' }) }));
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
    workflowOf('Confirmed below', {
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

test('a task that needs four eyes cannot be finished by the account that started, acts for or took over the job', async () => {
  await store(
    workflowOf(
      'Needs another',
      { a: traceTask('fail'), b: { ...view(), fourEyes: true }, c: traceTask('done') },
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
  for (const rejected of [
    await finish(admin, _id, 'b'),
    await own(admin, 'claim'),
    await own(outsider, 'assign', { userId: admin.id }),
    await admin.send('POST', `/operations-manager/jobs/${_id}/continue`, { fromTask: 'c' }),
  ]) {
    expect(rejected.status).toBe(403);
    expect(rejected.text).toContain('needs four eyes');
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

/** A service account that a person creates. */
async function robotOf(person: Actor): Promise<Actor> {
  const token = await createRobot(service, await signIn(service, person), ['engineering', 'apiread']);
  const send: Actor['send'] = (method, path, body) => sendAs(service, token, method, path, body);
  const done = async <Data>(method: string, path: string, body?: unknown): Promise<Data> => {
    const answer = await send(method, path, body);
    if (answer.status !== 200) throw new Error(answer.text);
    return (answer.json as { data: Data }).data;
  };
  return { ...person, send, done };
}

test('a service account of the user who started a job is no second pair of eyes, nor is its creator for it', async () => {
  await store(workflowOf('Needs a colleague', { b: { ...view(), fourEyes: true } }));
  const admin = await actor(['admin']);
  const robot = await robotOf(admin);
  const byUser = await start(admin, 'Needs a colleague');
  const byRobot = await start(robot, 'Needs a colleague');
  for (const { _id } of [byUser, byRobot]) await taskComes(_id, 'b', 'running');
  for (const rejected of [await finish(robot, byUser._id, 'b'), await finish(admin, byRobot._id, 'b')]) {
    expect(rejected.status, rejected.text).toBe(403);
    expect(rejected.text).toContain('needs four eyes');
  }
  const another = await robotOf(await actor(['admin']));
  expect((await finish(another, byUser._id, 'b')).status).toBe(200);
  expect((await finish(member, byRobot._id, 'b')).status).toBe(200);
});

test('a value of fourEyes that is no boolean is rejected', async () => {
  const flow = workflowOf('Odd eyes', { a: { ...view(), fourEyes: 'yes' } as never });
  const answer = await service.send('admin', 'POST', '/automation-studio/automations', { automation: flow });
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('fourEyes');
});

test('only its acting account or an admin changes the groups of a job', async () => {
  await store(workflowOf('Looks', { a: view() }));
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
    workflowOf('Renames itself', {
      a: task('newVariable', { name: 'initiator', value: member.username }, { value: null }),
      b: task('newVariable', { name: 'actingAccount', value: member.id }, { value: null }),
      c: probe(),
    }),
  );
  const job = await start(outsider, 'Renames itself');
  await expectDenied(job, outsider);
  expect((await service.job(job._id)).initiator).toBe(outsider.username);
});
