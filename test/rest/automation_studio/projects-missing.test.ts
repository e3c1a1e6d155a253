import { describe, expect, test } from 'vitest';
import type { Missing } from '#db/schemas/assets/missing.ts';
import { childJob, task, workflow } from '../../helpers/documents/assets.ts';
import { openImports, projectFileOf } from '../../helpers/documents/projects.ts';
import { documentOf, storeModel } from '../../helpers/integrations/integrations.ts';

const { call, callerWith, done, importing, send, service } = await openImports();

type Json = Record<string, unknown>;

describe('the list of missing parts', () => {
  const adapterTask = (name: string, type: string) => ({
    ...task(name, { adapter_id: '' }),
    ...{ app: type, location: 'Adapter', locationType: type },
  });
  const needy = () =>
    projectFileOf((own) => [
      [
        'workflow',
        workflow('Opens ticket', [
          adapterTask('createIncident', 'Helpdesk'),
          adapterTask('createIncident', 'Helpdesk'),
          adapterTask('dcim_devices_list', 'Cable Box: Lab:4.1'),
          { ...task('getInstance', {}), app: 'ServiceCatalog' },
          { ...task('levitate', {}), app: 'WorkFlowEngine' },
          task('transformation', { tr_id: '65566996fb4afe017442d30d', variableMap: {}, options: {} }),
        ]),
      ],
      ...Array.from({ length: 12 }, (_, at): [string, Json] => [
        'workflow',
        workflow(`Asks ${at}`, [
          childJob(own('Nobody')),
          childJob('@66d0ccea21161b4df27174c0: File transfer'),
        ]),
      ]),
    ]);

  test('names adapters, integrations, applications and documents, with what would provide each', async () => {
    const { data, metadata } = await importing(needy());
    const found = metadata.missing.map(({ kind, type, name, providedBy, tasks, uses, usedBy }) => ({
      ...{ kind, type, name, providedBy: providedBy[0], tasks, uses, listed: usedBy.length },
    }));
    expect(found).toEqual([
      {
        ...{ kind: 'adapter', name: 'Helpdesk', providedBy: { type: 'package', export: 'Helpdesk' } },
        ...{ tasks: ['createIncident'], uses: 2, listed: 2 },
      },
      {
        ...{ kind: 'integration', name: 'Cable Box: Lab:4.1' },
        ...{ providedBy: { type: 'openapi', title: 'Cable Box: Lab', version: '4.1' } },
        ...{ tasks: ['dcim_devices_list'], uses: 1, listed: 1 },
      },
      {
        ...{ kind: 'application', name: 'ServiceCatalog' },
        ...{
          providedBy: { type: 'application', name: 'ServiceCatalog' },
          tasks: ['getInstance'],
          uses: 1,
          listed: 1,
        },
      },
      {
        ...{ kind: 'application', name: 'WorkFlowEngine' },
        ...{
          providedBy: { type: 'application', name: 'WorkFlowEngine' },
          tasks: ['levitate'],
          uses: 1,
          listed: 1,
        },
      },
      {
        ...{ kind: 'document', type: 'transformation', name: '65566996fb4afe017442d30d' },
        ...{ providedBy: { type: 'import', kind: 'transformation', _id: '65566996fb4afe017442d30d' } },
        ...{ uses: 1, listed: 1 },
      },
      {
        ...{ kind: 'document', type: 'workflow', name: '@66d0ccea21161b4df27174c0: File transfer' },
        providedBy: {
          ...{ type: 'import', kind: 'workflow', name: 'File transfer', project: '66d0ccea21161b4df27174c0' },
        },
        ...{ uses: 12, listed: 10 },
      },
      {
        ...{ kind: 'document', type: 'workflow', name: `@${data._id}: Nobody` },
        providedBy: { type: 'import', kind: 'workflow', name: 'Nobody', project: data._id },
        ...{ uses: 12, listed: 10 },
      },
    ]);
    expect(metadata.missing[0]?.usedBy[0]).toMatchObject({ name: `@${data._id}: Opens ticket`, task: '1' });
    expect(metadata.missingTotal).toBe(7);
  });

  test('of a stored project is that of its import, and shrinks when a part is provided', async () => {
    const { data, metadata } = await importing(needy());
    const list = async () => await done<{ data: Missing[]; metadata: Json }>('GET', `/${data._id}/missing`);
    expect(await list()).toMatchObject({ data: metadata.missing, metadata: { total: 7 } });
    const properties = { protocol: 'http', host: '127.0.0.1', port: 9, base_path: '' };
    const adapter = {
      name: 'Helpdesk',
      model: 'Rest',
      properties: { id: 'Helpdesk', type: 'Rest', properties },
    };
    expect((await call('POST', '/adapters', { properties: adapter })).status).toBe(200);
    const after = (await list()).data;
    expect(after.map(({ kind }) => kind)).not.toContain('adapter');
    expect(after).toHaveLength(6);
  });

  test('lacks an adapter type that a stored document covers in part, and names only the tasks that are not covered', async () => {
    const document = documentOf('Rack Plan', { '/racks': { get: { operationId: 'listRacks' } } });
    const type = 'Rack Plan:1';
    const file = (...names: string[]) =>
      projectFileOf(() => [
        [
          'workflow',
          workflow(
            'Plans racks',
            names.map((name) => adapterTask(name, type)),
          ),
        ],
      ]);
    const { data, metadata } = await importing(file('listRacks'));
    expect(metadata.missing).toMatchObject([{ kind: 'integration', name: type, tasks: ['listRacks'] }]);
    await storeModel(service, document);
    expect((await done('GET', `/${data._id}/missing`)).data).toEqual([]);
    const { missing } = (await importing(file('listRacks', 'paintRacks'))).metadata;
    expect(missing).toMatchObject([
      { kind: 'integration', name: type, tasks: ['paintRacks'], message: expect.stringContaining('lacks') },
    ]);
  });

  test('is available to accounts that may read the project', async () => {
    const { data } = await importing(projectFileOf(() => [['workflow', workflow('Own')]]));
    expect((await done('GET', `/${data._id}/missing`)).data).toEqual([]);
    await callerWith(['apiread', 'apiwrite']);
    expect((await send('GET', `/${data._id}/missing`, undefined, ['apiread', 'apiwrite'])).status).toBe(404);
    expect((await send('GET', `/${data._id}/missing`, undefined, 'support')).status).toBe(403);
  });
});
