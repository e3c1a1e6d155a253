import { expect, test } from 'vitest';
import type { Missing } from '#db/schemas/assets/missing.ts';
import { childJob, objectId, task, uuid, workflow } from '../../helpers/documents/assets.ts';
import { prebuilt } from '../../helpers/documents/prebuilts.ts';
import { openService } from '../../helpers/service.ts';

/* Imports other than that of a project also list what their documents need and nobody has. */

const service = await openService();
const call = async (method: string, path: string, body?: unknown, as: 'admin' | 'designer' = 'admin') => {
  const answer = await service.send(as, method, path, body);
  expect(answer.status, answer.text.slice(0, 1000)).toBe(200);
  return answer.json as { missing: Missing[]; metadata: { missing: Missing[]; missingTotal: number } };
};
const reported = (missing: readonly Missing[]) =>
  missing.map(({ kind, type, name, uses }) => [kind, type, name, uses]);
const ticket = {
  ...task('createIncident', { adapter_id: '' }),
  ...{ app: 'Helpdesk', location: 'Adapter', locationType: 'Helpdesk' },
};

test('the import of several workflows lists what each of them lacks', async () => {
  const automations = [
    workflow('Asks both', [childJob('Asked'), childJob('Nobody'), ticket]),
    workflow('Asked', [ticket]),
  ];
  const { missing } = await call('POST', '/automation-studio/automations/import', { automations });
  expect(reported(missing)).toEqual([
    ['adapter', undefined, 'Helpdesk', 2],
    ['document', 'workflow', 'Nobody', 1],
  ]);
});

test('the import of a package lists what its assets lack', async () => {
  const data = { ...workflow('Opens ticket', [childJob('Nobody'), ticket]), _id: uuid() };
  const { metadata } = await call('POST', '/prebuilts/import', {
    prebuilt: prebuilt('Tickets', [{ type: 'workflow', data }]),
  });
  expect([reported(metadata.missing), metadata.missingTotal]).toEqual([
    [
      ['adapter', undefined, 'Helpdesk', 1],
      ['document', 'workflow', 'Nobody', 1],
    ],
    2,
  ]);
});

test('the import of automations and triggers lists documents that do not exist or that the caller may not see', async () => {
  const [form, jst] = [objectId(), objectId()];
  await call('POST', '/automation-studio/automations', { automation: workflow('Known') });
  const project = await call('POST', '/automation-studio/projects', { name: 'Hidden' });
  const { _id } = (project as unknown as { data: { _id: string } }).data;
  const hidden = `@${_id}: Secret`;
  await call('POST', '/automation-studio/projects/import', {
    project: { _id, name: 'Hidden', components: [{ type: 'workflow', document: workflow('Secret') }] },
  });
  const trigger = { name: 'By form', type: 'manual', enabled: true, formId: form, jst };
  const automation = (name: string, componentName: string, triggers: object[] = []) => ({
    ...{ name, componentType: 'workflows', componentName, triggers },
  });
  const automations = [
    automation('One', 'Known', [trigger]),
    automation('Two', 'Unknown'),
    automation('Three', 'Unknown'),
    automation('Four', hidden),
  ];
  const { metadata } = await call('PUT', '/operations-manager/automations', { automations }, 'designer');
  expect(reported(metadata.missing)).toEqual([
    ['document', 'jsonForm', form, 1],
    ['document', 'transformation', jst, 1],
    ['document', 'workflow', hidden, 1],
    ['document', 'workflow', 'Unknown', 2],
  ]);
  expect(metadata.missing[3]?.usedBy.map(({ type, name }) => [type, name])).toEqual([
    ['automation', 'Three'],
    ['automation', 'Two'],
  ]);
});

test('a workflow that is only validated is offered no workflow of a project that the caller may not see', async () => {
  const _id = objectId();
  const project = {
    _id,
    name: 'Closed',
    components: [{ type: 'workflow', document: workflow('Run checks on host') }],
  };
  await call('POST', '/automation-studio/projects/import', { project });
  const workflowOf = workflow(`@${_id}: Guess`, [childJob('Run checks')]);
  const found = async (as: 'admin' | 'designer') =>
    JSON.stringify(await call('POST', '/automation-studio/workflows/validate', { workflow: workflowOf }, as));
  expect(await found('admin')).toContain('its project has Run checks on host');
  expect(await found('designer')).not.toContain('on host');
});
