import { expect, test } from 'vitest';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { childJob, objectId, STORED, task, uuid, workflow } from '../../helpers/documents/assets.ts';
import { openStudio } from '../../helpers/documents/projects.ts';

const { done, exported, service } = await openStudio();

type NewWorkflow = ReturnType<typeof workflow>;

/** A project file with the workflows that are drawn for its id. */
const fileOf = (draw: (own: (name: string) => string) => NewWorkflow[]) => {
  const _id = objectId();
  return {
    _id,
    name: `Drawn ${_id}`,
    components: draw((name) => own(_id, name)).map((document, iid) => ({
      iid,
      type: 'workflow',
      reference: uuid(),
      document,
    })),
  };
};
const own = (projectId: string, name: string) => `@${projectId}: ${name}`;
const importing = async (project: object) => (await done('POST', '/import', { project })).data;
const detailed = async (name: string) =>
  (await service.send('designer', 'GET', `/automation-studio/workflows/detailed/${encodeURIComponent(name)}`))
    .json as Workflow;
const listed = async (name: string) => {
  const path = `/automation-studio/workflows?equals[name]=${encodeURIComponent(name)}`;
  const { items } = (await service.send('designer', 'GET', path)).json as { items: Workflow[] };
  return items[0];
};

test('workflows of a project file get the schemas that they do not bring, children first, and keep those they do', async () => {
  const takesSite = task('arrayPush', { arr: ['a'], elementN: '$var.job.site' });
  const given = fileOf((inside) => [
    workflow('Parent', [childJob(inside('Child'), { site: { task: 'job', value: 'place' } })]),
    workflow('Child', [takesSite]),
    workflow('Kept', [takesSite], STORED),
  ]);
  await importing(given);
  const child = await listed(own(given._id, 'Child'));
  expect(child?.inputSchema).toMatchObject({ type: 'object', required: ['site'] });
  const { inputSchema } = (await listed(own(given._id, 'Parent'))) as Workflow;
  expect(inputSchema).toMatchObject({ required: ['place'] });
  const wanted = child?.inputSchema as { properties: { site: object } };
  expect((inputSchema as { properties: { place: object } }).properties.place).toEqual(wanted.properties.site);
  expect((await listed(own(given._id, 'Kept')))?.inputSchema).toEqual(STORED.inputSchema);
});

test('findings about them are determined once all of the file is stored, and are not copied from the file', async () => {
  const stale = { errors: [{ task: 'a', name: 'a', message: 'long gone' }] };
  const given = fileOf((inside) => [
    workflow('Parent', [childJob(inside('Draft'))], stale),
    workflow('Draft', [childJob('Nobody')]),
  ]);
  await importing(given);
  expect((await listed(own(given._id, 'Parent')))?.errors).toEqual([]);
  expect((await listed(own(given._id, 'Draft')))?.errors).toEqual([
    {
      task: '1',
      name: 'childJob',
      message: 'variables.incoming.workflow: workflow Nobody does not exist',
    },
  ]);
  for (const { document } of (await exported(given._id)).components ?? []) {
    expect(document).not.toHaveProperty('errors');
    expect(document).not.toHaveProperty('warnings');
  }
});

test('a workflow reports a child that is created later, and one that is removed, when it is read', async () => {
  const name = `Parent ${objectId()}`;
  const child = `Child ${objectId()}`;
  const call = (method: string, path: string, body?: unknown) => service.send('designer', method, path, body);
  await call('POST', '/automation-studio/automations', { automation: workflow(name, [childJob(child)]) });
  expect((await detailed(name)).errors).toHaveLength(1);
  await call('POST', '/automation-studio/automations', { automation: workflow(child) });
  const { errors, last_updated } = await detailed(name);
  expect(errors).toEqual([]);
  // Nobody wrote it: what was read to be edited is still what is stored.
  expect((await listed(name))?.last_updated).toBe(last_updated);
  const sent = await call('POST', '/workflow_builder/export', { options: { name } });
  expect((sent.json as Workflow).errors).toEqual([]);
});
