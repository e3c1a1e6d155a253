import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addPackage } from '#server/domains/integrations/index.ts';
import { makeFolder } from '../helpers/folder.ts';
import { issuePathsOf, rejectionOf, rolesThatMay } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();

test('every model of adapters is listed once, and each has a connection schema', async () => {
  const { adapterModels, adapters } = await service.as('apiread');
  const { adapterModels: models, total } = await adapterModels.listModels({});
  expect(models).toContain('Orchestrator');
  expect(new Set(models).size).toBe(total);
  for (const name of models) {
    expect(await adapters.getConnectionSchema({ name }), name).toHaveProperty('properties');
  }
  expect(await issuePathsOf(adapterModels.listModels({ limit: 1 } as never))).toEqual(['limit']);
});

test('admin and apiread list the models', async () => {
  expect(await rolesThatMay(service, (as) => as.adapterModels.listModels({}))).toEqual(['admin', 'apiread']);
});

test('packages are listed, and read with their tasks; admin and apiread may', async () => {
  const fixture = join(import.meta.dirname, '../fixtures/adapters/warehouse');
  await addPackage(service.db, await makeFolder(), fixture, new Date());
  const { adapterModels } = await service.as('apiread');
  const { results, total } = await adapterModels.listPackages({
    queryOptions: { contains: 'ware', containsField: 'type' },
  });
  expect([total, results]).toMatchObject([1, [{ type: 'Warehouse', version: '1.2.0', taskCount: 7 }]]);
  const { tasks } = await adapterModels.getPackage({ type: 'Warehouse' });
  const effects = Object.fromEntries(tasks.map(({ name, effect }) => [name, effect]));
  expect(effects).toMatchObject({ getItem: 'read', replaceItem: 'keyed', createItem: 'unsafe' });
  expect(await rejectionOf(adapterModels.getPackage({ type: 'Nothing' }))).toMatchObject({
    code: 'NOT_FOUND',
  });
  for (const call of ['listPackages', 'getPackage'] as const)
    expect(
      await rolesThatMay(service, (as) => as.adapterModels[call]({ type: 'Warehouse' } as never)),
    ).toEqual(['admin', 'apiread']);
});
