import { expect, test } from 'vitest';
import { documentOf } from '../helpers/integrations/integrations.ts';
import { issuePathsOf, rejectionOf, rolesThatMay, unique } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const { integrationModels } = await service.as('admin');

const sites = (title: string, ...names: string[]) =>
  documentOf(
    title,
    Object.fromEntries(names.map((operationId) => [`/${operationId}`, { get: { operationId } }])),
    { components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } } },
  );
const taskNames = async (name: string) =>
  (await integrationModels.listTasks({ name })).results.map((task) => task.name);

test('a document is checked without being stored, and stored as a model that is read, listed and exported', async () => {
  const title = unique('Sites');
  const name = `${title}:1`;
  const model = sites(title, 'listSites', 'listRooms');
  expect(await integrationModels.validateModel({ model })).toMatchObject({ status: 'OK' });
  expect(await rejectionOf(integrationModels.getModel({ name }))).toMatchObject({ code: 'NOT_FOUND' });

  await integrationModels.createModel({ model });
  expect(await integrationModels.getModel({ name })).toMatchObject({ versionId: name });
  const listed = await integrationModels.listModels({
    queryOptions: { equals: name, equalsField: 'versionId' },
  });
  expect(listed).toMatchObject({ total: 1, integrationModels: [{ versionId: name }] });
  expect(await integrationModels.exportModel({ name })).toEqual(model);
  expect(await integrationModels.getSecuritySchemes({ name })).toEqual({
    token: { type: 'http', scheme: 'bearer' },
  });
  expect(await taskNames(name)).toEqual(['listSites', 'listRooms']);
});

test('a model is stored once, replaced by its title and version, and deleted with its tasks', async () => {
  const title = unique('Sites');
  const name = `${title}:1`;
  await integrationModels.createModel({ model: sites(title, 'listSites') });
  const again = integrationModels.createModel({ model: sites(title, 'listSites') });
  expect(await rejectionOf(again)).toMatchObject({ code: 'CONFLICT' });
  const { metadata } = await integrationModels.replaceModel({ model: sites(title, 'listRooms') });
  expect(metadata).toMatchObject({ added: ['listRooms'], removed: ['listSites'] });
  expect(await taskNames(name)).toEqual(['listRooms']);
  await integrationModels.deleteModel({ name });
  for (const call of [
    integrationModels.getModel,
    integrationModels.listTasks,
    integrationModels.deleteModel,
  ]) {
    expect(await rejectionOf(call({ name }))).toMatchObject({ code: 'NOT_FOUND' });
  }
});

test('a document without a title is rejected and the field named', async () => {
  const model = { ...sites('Sites', 'listSites'), info: { version: '1' } };
  expect(await issuePathsOf(integrationModels.createModel({ model }))).toEqual(['model.info.title']);
});

test('apiread reads models, only an admin stores and deletes them', async () => {
  expect(await rolesThatMay(service, (as) => as.integrationModels.listModels({}))).toEqual([
    'admin',
    'apiread',
  ]);
  expect(await rolesThatMay(service, (as) => as.integrationModels.deleteModel({ name: 'no-such' }))).toEqual([
    'admin',
  ]);
});
