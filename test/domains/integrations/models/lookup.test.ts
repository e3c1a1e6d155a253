import { expect, test } from 'vitest';
import {
  connectionOfModel,
  findOperations,
  operationKey,
  operationsOfModel,
} from '#server/domains/integrations/index.ts';
import { openService } from '../../../helpers/service.ts';

const { db, send } = await openService();

const documentOf = (title: string) => ({
  openapi: '3.1.0',
  info: { title, version: '1.0' },
  servers: [{ url: 'https://sites.example.net' }],
  components: { securitySchemes: { key: { type: 'apiKey', name: 'k', in: 'query' } } },
  paths: { '/sites': { post: { operationId: 'create' }, get: { operationId: 'list' } } },
});
for (const title of ['Sites', 'Links']) {
  await send('admin', 'POST', '/integration-models', { model: documentOf(title) });
}

test('operations of several models are found by model and name in one query, and unknown ones are missing', async () => {
  const wanted = [
    { versionId: 'Sites:1.0', name: 'list' },
    { versionId: 'Links:1.0', name: 'create' },
    { versionId: 'Links:1.0', name: 'none' },
    { versionId: 'None:1.0', name: 'list' },
  ];
  const found = await findOperations(db, wanted);
  expect(wanted.map((one) => found.get(operationKey(one))?.method)).toEqual([
    'GET',
    'POST',
    undefined,
    undefined,
  ]);
  expect(await findOperations(db, [])).toEqual(new Map());
});

test('the operations and the connection of models are read', async () => {
  expect((await operationsOfModel(db, 'Sites:1.0')).map(({ name }) => name)).toEqual(['create', 'list']);
  expect(await operationsOfModel(db, 'None:1.0')).toEqual([]);
  expect(await connectionOfModel(db, 'Sites:1.0')).toMatchObject({
    template: { server: { host: 'sites.example.net' } },
    securitySchemes: { key: { type: 'apiKey', name: 'k', in: 'query', sigV4: false } },
  });
  expect(await connectionOfModel(db, 'None:1.0')).toBeUndefined();
});
