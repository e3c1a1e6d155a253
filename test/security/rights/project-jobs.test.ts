import { describe, expect, test } from 'vitest';
import type { Project } from '#db/schemas/assets/project.ts';
import type { Job } from '#db/schemas/workflow/job.ts';
import {
  EXECUTING,
  MEMBERS,
  type Member,
  openProjectMembers,
  READ_ONLY,
  REFUSED,
} from '../../helpers/jobs/project-members.ts';
import { createPerson, sendAs, signIn } from '../../helpers/people.ts';

type Json = Record<string, unknown>;

const { service, projectId, references, next, make, send, scoped } = await openProjectMembers();

describe('automations', () => {
  const bind = (member: Member, componentId: string | null) =>
    send(member, 'POST', '/operations-manager/automations', {
      name: `Automation ${next()}`,
      componentType: 'workflows',
      componentId,
    });
  const idOf = (json: unknown) => (json as { data: { _id: string } }).data._id;

  test.each(MEMBERS)('are bound, changed, imported and cloned only with execute: %s', async (member) => {
    const mine = EXECUTING.includes(member);
    const child = references.Child ?? '';
    const created = await bind(member, child);
    expect(created.status, created.text).toBe(mine ? 200 : member === 'viewer' ? 403 : 400);

    const unbound = idOf((await bind(member, null)).json);
    const changed = await send(member, 'PATCH', `/operations-manager/automations/${unbound}`, {
      componentId: child,
    });
    expect(changed.status, changed.text).toBe(mine ? 200 : member === 'viewer' ? 403 : 400);

    const imported = await send(member, 'PUT', '/operations-manager/automations', {
      automations: [
        { name: `Imported ${next()}`, componentType: 'workflows', componentName: scoped('Child') },
      ],
    });
    const [result] = (imported.json as { data: { success: boolean }[] }).data;
    expect(result?.success, imported.text).toBe(mine);

    const { data } = await make<{ data: { _id: string } }>('POST', '/operations-manager/automations', {
      name: `Bound ${next()}`,
      componentType: 'workflows',
      componentId: child,
    });
    const cloned = await send(member, 'POST', '/operations-manager/automations/clone', {
      automation: { id: data._id },
    });
    expect(cloned.status, cloned.text).toBe(mine ? 200 : member === 'viewer' ? 403 : 404);
  });

  test.each(MEMBERS)('are run by hand, by endpoint and by schedule only with execute: %s', async (member) => {
    const mine = EXECUTING.includes(member);
    const { data } = await make<{ data: { _id: string } }>('POST', '/operations-manager/automations', {
      name: `Run ${next()}`,
      componentType: 'workflows',
      componentId: references.Child,
    });
    const routeName = `route-${next()}`;
    const trigger = async (more: Json) =>
      (
        await make<{ data: { _id: string } }>('POST', '/operations-manager/triggers', {
          name: `Trigger ${next()}`,
          actionId: data._id,
          enabled: true,
          ...more,
        })
      ).data._id;
    const manual = await trigger({ type: 'manual' });
    await trigger({ type: 'endpoint', verb: 'POST', routeName, schema: { type: 'object' } });
    const schedule = await trigger({ type: 'schedule', firstRunAt: Date.now() + 86_400_000 });
    const answers = [
      await send(member, 'POST', `/operations-manager/triggers/manual/${manual}/run`, { formData: {} }),
      await send(member, 'POST', `/operations-manager/triggers/endpoint/${routeName}`, {}),
      await send(member, 'POST', `/operations-manager/triggers/schedule/${schedule}/run`),
    ];
    const status = mine ? 200 : member === 'viewer' ? 403 : 404;
    expect(
      answers.map((one) => one.status),
      answers.map((one) => one.text).join(),
    ).toEqual([status, status, status]);
  });

  test.each(MEMBERS)('take forms and transformations of a project only with execute: %s', async (member) => {
    const mine = EXECUTING.includes(member);
    const actionId = idOf((await bind(member, null)).json);
    const create = (more: Json) =>
      send(member, 'POST', '/operations-manager/triggers', {
        name: `T ${next()}`,
        actionId,
        enabled: true,
        ...more,
      });
    const answers = [
      await create({ type: 'manual', formId: references.Site }),
      await create({
        ...{ type: 'endpoint', verb: 'POST', routeName: `route-${next()}`, schema: { type: 'object' } },
        jst: references.Nothing,
      }),
    ];
    const status = mine ? 200 : member === 'viewer' ? 403 : 422;
    expect(
      answers.map((one) => one.status),
      answers.map((one) => one.text).join(),
    ).toEqual([status, status]);
  });
});

describe('jobs of a project', () => {
  const started = async (workflow: string) =>
    (await service.done<Job>('POST', '/jobs/start', { workflow: scoped(workflow) }))._id;
  const at = (path: string) => `/operations-manager${path}`;

  test.each(REFUSED)(
    'are not paused, resumed, canceled, retried, continued or reverted by a %s',
    async (member) => {
      const waiting = await started('Waiting');
      await service.taskComes(waiting, 'a', 'running');
      const failing = await started('Failing');
      await service.comes(failing, 'error');
      for (const verb of ['pause', 'resume', 'cancel']) {
        const answer = await send(member, 'POST', at(`/jobs/${verb}`), { jobIds: [waiting] });
        expect(answer.status).toBe(500);
        expect(answer.text).toContain(member === 'viewer' ? READ_ONLY : 'does not exist');
      }
      const status = member === 'viewer' ? 403 : 404;
      const calls: [string, Json][] = [
        [`/jobs/${failing}/tasks/a/retry`, {}],
        [`/jobs/${failing}/continue`, { fromTask: 'b' }],
        [`/jobs/${waiting}/revert`, { fromTask: 'a', toTask: 'workflow_start' }],
      ];
      for (const [path, body] of calls) {
        const answer = await send(member, 'POST', at(path), body);
        expect(answer.status, `${path} ${answer.text}`).toBe(status);
      }
      expect((await service.job(waiting)).status).toBe('running');
      expect((await service.job(failing)).status).toBe('error');
    },
  );

  test('are paused, resumed, retried, continued and canceled by an operator', async () => {
    const waiting = await started('Waiting');
    await service.taskComes(waiting, 'a', 'running');
    for (const verb of ['pause', 'resume', 'cancel']) {
      const answer = await send('operator', 'POST', at(`/jobs/${verb}`), { jobIds: [waiting] });
      expect(answer.status, answer.text).toBe(200);
    }
    const failing = await started('Failing');
    await service.comes(failing, 'error');
    const retried = await send('operator', 'POST', at(`/jobs/${failing}/tasks/a/retry`), {});
    expect(retried.status, retried.text).toBe(200);
    await service.until(failing, ({ tasks }) => tasks.a?.status === 'error');
    const continued = await send('operator', 'POST', at(`/jobs/${failing}/continue`), { fromTask: 'b' });
    expect(continued.status, continued.text).toBe(200);
  });

  test('are deleted only with execute, by users who hold the permission', async () => {
    const over = await started('Child');
    await service.comes(over, 'complete');
    const { data } = await make<{ data: { _id: string } }>('POST', '/authorization/roles', {
      role: {
        name: 'job deleter',
        allowedMethods: [{ provenance: 'OperationsManager', name: 'deleteJobs' }],
        allowedViews: [],
      },
    });
    const deleter = await createPerson(service, [], { assignedRoles: [{ roleId: data._id }] });
    const token = await signIn(service, deleter);
    const deletes = () => sendAs(service, token, 'POST', at('/jobs/delete'), { jobIds: [over] });
    const path = `/automation-studio/projects/${projectId}`;
    const project = (await make<{ data: Project }>('GET', path, undefined)).data;
    const others = (project.members ?? []).map(({ type, reference, role }) => ({ type, reference, role }));
    const become = (role: string) =>
      make('PATCH', path, { members: [...others, { type: 'account', reference: deleter.id, role }] });
    await become('viewer');
    const rejected = await deletes();
    expect(rejected.status, rejected.text).toBe(403);
    expect(rejected.text).toContain(READ_ONLY);
    await become('operator');
    expect((await deletes()).status).toBe(200);
  });
});
