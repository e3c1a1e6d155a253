import { expect, test } from 'vitest';
import { issuePathsOf, rolesThatMay } from '../helpers/procedures.ts';
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
