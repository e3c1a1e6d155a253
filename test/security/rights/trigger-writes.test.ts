import { beforeAll, expect, test } from 'vitest';
import type { ProjectMember } from '#db/schemas/assets/project.ts';
import type { Trigger } from '#db/schemas/workflow/trigger.ts';
import { type Actor, openActing } from '../../helpers/jobs/acting.ts';
import { traceTask, workflowOf } from '../../helpers/workflows.ts';

const service = await openActing();
const { store, automationOf, trigger, fire, member, other, outsider, triggerNow } = service;
const OM = '/operations-manager';
const DENIED = /does not exist|allows you to read but not to execute/;

let viewer: Actor;
let automation = '';
let manual: Trigger;
const admin = await service.actor(['admin']);

beforeAll(async () => {
  viewer = await service.actor();
  const project = `/automation-studio/projects/${service.projectId}`;
  const { members } = await member.done<{ members: object[] }>('GET', project);
  const role: ProjectMember['role'] = 'viewer';
  await member.done('PATCH', project, {
    members: [...members, { type: 'account', reference: viewer.id, role }],
  });
  const workflow = await store(workflowOf('Of the project', { a: traceTask('x') }));
  await service.db.execute(
    `update workflows set project_id = '${service.projectId}' where id = '${workflow._id}'`,
  );
  automation = await automationOf(workflow);
  manual = await trigger(member, automation, { name: 'Made by a member', type: 'manual' });
});

const created = (by: Actor, more: object = {}) =>
  by.send('POST', `${OM}/triggers`, {
    ...{ name: `New ${Math.random()}`, type: 'manual', actionType: 'automations', actionId: automation },
    ...more,
  });
const changed = (by: Actor, more: object) =>
  by.send('PATCH', `${OM}/triggers/${manual._id}`, { trigger: more });

test('a trigger is created, changed and enabled only by accounts that may execute its workflow', async () => {
  for (const by of [viewer, outsider]) {
    for (const answer of [
      await created(by),
      await changed(by, { description: 'mine' }),
      await changed(by, { enabled: true }),
    ]) {
      expect([403, 404], answer.text).toContain(answer.status);
      expect(answer.text).toMatch(DENIED);
    }
  }
  expect(await triggerNow(manual._id)).toMatchObject({ runAs: member.id });
  expect((await created(other)).status).toBe(200);
  expect((await changed(other, { description: 'by an operator' })).status).toBe(200);
});

test('a user who may not execute the workflow may still disable its trigger, and not enable it again', async () => {
  expect((await changed(viewer, { enabled: false })).status).toBe(200);
  expect((await changed(viewer, { enabled: true })).status).toBe(403);
  expect((await changed(member, { enabled: true })).status).toBe(200);
});

test('a trigger is denied that would run for an account which may not execute its workflow', async () => {
  const answer = await created(admin, { runAs: viewer.id });
  expect([answer.status, answer.text]).toEqual([
    403,
    expect.stringContaining(`${viewer.username} (${viewer.id}), for which the trigger runs, may not start`),
  ]);
  expect((await changed(admin, { runAs: outsider.id })).status).toBe(403);
  expect((await created(admin, { runAs: other.id })).status).toBe(200);
});

test('an imported trigger whose workflow the importer may not execute fails', async () => {
  const file = await member.done<object>('GET', `${OM}/triggers/${manual._id}/export`);
  const triggers = [{ ...file, _id: undefined, name: 'Imported', actionId: automation }];
  const answer = await viewer.send('PUT', `${OM}/triggers`, { triggers });
  expect(answer.text).toMatch(DENIED);
  const all = await service.done<Trigger[]>('GET', '/triggers?limit=1000');
  expect(all.map(({ name }) => name)).not.toContain('Imported');
});

test('an automation whose workflow was deleted does not start another of the same name, and reports it', async () => {
  const gone = await store(workflowOf('Comes and goes', { a: traceTask('x') }));
  const id = await automationOf(gone);
  const clock = await service.schedule(member, id);
  await service.send('admin', 'DELETE', `/automation-studio/automations/${gone._id}`);
  await service.db.execute(`delete from workflows where id = '${gone._id}'`);
  await store({ ...workflowOf('Comes and goes', { a: traceTask('somebody else’s') }) });
  expect(await fire(clock._id)).toBeUndefined();
  const { lastResult } = await triggerNow(clock._id);
  expect(lastResult?.message).toContain('starts the workflow Comes and goes');
  expect(lastResult?.message).toContain('which does not exist');
  const byHand = await trigger(member, id, { name: 'By hand', type: 'manual' });
  const answer = await member.send('POST', `${OM}/triggers/manual/${byHand._id}/run`, { formData: {} });
  expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('which does not exist')]);
  await member.done('PATCH', `${OM}/automations/${id}`, {
    automation: { componentId: null, componentName: 'Comes and goes' },
  });
  expect(await fire(clock._id)).toBeDefined();
});
