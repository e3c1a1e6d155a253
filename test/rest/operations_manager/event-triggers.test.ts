import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { sql } from '#db/statement.ts';
import { importAssets } from '#server/domains/workflow/definitions/import-assets.service.ts';
import { EVENTS } from '#server/domains/workflow/triggers/events.ts';
import { compileSchema } from '#server/kernel/validation/json-schema.ts';
import { asAdmin } from '../../helpers/documents/assets.ts';
import { listenTo } from '../../helpers/jobs/events.ts';
import { openService } from '../../helpers/service.ts';
import { task, workflowOf } from '../../helpers/workflows.ts';

const service = await openService({}, { works: true });
const { token, caller } = await service.callerWith('admin');

async function done<T>(method: string, path: string, body: unknown): Promise<T> {
  const answer = await service.send('admin', method, path, body);
  if (answer.status !== 200) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
  return answer.json as T;
}

async function automationOf(workflow: ReturnType<typeof workflowOf>): Promise<string> {
  const [stored] = await asAdmin(service, (ctx) =>
    importAssets(ctx, [{ kind: 'workflow', doc: workflow as never }], { projectId: null, onTaken: 'reject' }),
  );
  const made = await done<{ data: { _id: string } }>('POST', '/operations-manager/automations', {
    name: `Automation of ${workflow.name}`,
    componentType: 'workflows',
    componentId: stored?.id,
  });
  return made.data._id;
}

const trigger = (actionId: string, more: Record<string, unknown>) =>
  done('POST', '/operations-manager/triggers', {
    type: 'eventSystem',
    actionType: 'automations',
    actionId,
    source: '@vendor/configuration-manager',
    topic: 'backupStored',
    legacyWrapper: false,
    runAs: caller.id,
    ...more,
  });

test('a backup that is stored starts the automation that waits for it, with its payload, and the job is announced by an event', async () => {
  const actionId = await automationOf(workflowOf('After a backup'));
  await trigger(actionId, {
    name: 'Edge devices',
    schema: { type: 'object', properties: { name: { type: 'string', pattern: '^edge-' } } },
  });
  const reader = await listenTo(service.url, { token });
  await reader.begun();
  await done('POST', '/configuration_manager/import/backups', {
    backups: ['edge-1', 'core-1', 'edge-2'].map((name) => ({
      name,
      rawConfig: `hostname ${name}\n`,
      date: '2026-02-03T04:05:06.000Z',
    })),
  });
  await reader.reported(2, ({ topic }) => topic === 'jobCompleted');
  const reported = reader.events();
  for (const { source, topic, payload } of reported) {
    const event = EVENTS.find((one) => one.source === source && one.topic === topic);
    expect(compileSchema(event?.definition ?? false)(payload), topic).toEqual([]);
  }
  const topics = reported.map(({ topic }) => topic);
  expect(topics.filter((topic) => topic === 'jobStarted')).toHaveLength(2);
  const jobs = await rows<{ name: string }>(
    service.db,
    sql`select doc #>> '{variables,name}' as name from jobs order by 1`,
  );
  expect(jobs.map(({ name }) => name)).toEqual(['edge-1', 'edge-2']);
  const [started] = reported.filter(({ topic }) => topic === 'jobStarted');
  expect(started?.payload).toMatchObject({ name: 'After a backup', status: 'running' });
  // Whoever may not read jobs hears of none.
  reader.cut();
});

test('a task that waits for a user is announced by an event', async () => {
  const actionId = await automationOf(
    workflowOf('Ask first', {
      a1: task(
        'ViewData',
        { header: 'Go on?', message: '', body: '', btn_success: 'Yes', btn_failure: 'No', variables: {} },
        {},
        { type: 'manual', view: '/workflow_engine/task/ViewData', summary: 'Go on?' },
      ),
    }),
  );
  await trigger(actionId, { name: 'Asks', topic: 'configurationChanged' });
  const reader = await listenTo(service.url, { token, query: '?topics=taskWaiting' });
  await reader.begun();
  await done('POST', '/configuration_manager/configs', { name: 'Told', deviceType: 'cisco-ios' });
  const [waiting] = await reader.reported(1);
  const event = EVENTS.find(({ topic }) => topic === 'taskWaiting');
  expect(compileSchema(event?.definition ?? false)(waiting?.payload)).toEqual([]);
  expect(waiting?.payload).toMatchObject({ task: 'a1', job: 'Ask first', name: 'ViewData', owner: null });
  reader.cut();
});
