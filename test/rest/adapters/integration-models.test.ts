import { expect, test } from 'vitest';
import { isLong } from '../../helpers/long.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
const { send } = service;

type Fields = Record<string, unknown>;

/** A small document; `more` replaces its members. */
const documentOf = (title: string, more: Fields = {}): Fields => ({
  openapi: '3.0.3',
  info: { title, version: '1.0', description: 'Sites and their devices' },
  servers: [{ url: 'https://sites.example.net/api' }],
  components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  security: [{ token: [] }],
  paths: {
    '/sites': {
      get: { operationId: 'listSites', tags: ['site'], summary: 'All sites', responses: {} },
      post: {
        operationId: 'createSite',
        tags: ['site'],
        requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
        responses: {},
      },
    },
    '/sites/{id}': { delete: { responses: {} } },
  },
  ...more,
});

async function done<Answer = Fields>(method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await send('admin', method, path, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json as Answer;
}

const create = (document: unknown) => done('POST', '/integration-models', { model: document });
const at = (id: string) => `/integration-models/${encodeURIComponent(id)}`;

test('an imported document is answered as a model and read back alike by version id and by model', async () => {
  const answer = await create(documentOf('Sites'));
  const model = {
    model: '@switchyard/adapter_Sites:1.0',
    versionId: 'Sites:1.0',
    description: 'Sites and their devices',
    properties: {
      authentication: { token: { token: '' } },
      server: { protocol: 'https', host: 'sites.example.net', base_path: '/api' },
      tls: { enabled: true, rejectUnauthorized: true },
      version: '1.0',
    },
  };
  expect(answer).toEqual({
    status: 'OK',
    message: 'Successfully created Sites:1.0 with 3 operations.',
    data: model,
  });
  expect(await done('GET', at('Sites:1.0'))).toEqual(model);
  expect(await done('GET', '/integration-models/@switchyard/adapter_Sites:1.0')).toEqual(model);
  expect(await done('GET', '/integration-models?equals=Sites:1.0&equalsField=name&sort=name')).toEqual({
    integrationModels: [model],
    total: 1,
  });
  expect(await done('GET', `${at('Sites:1.0')}/securitySchemes`)).toEqual({
    token: { type: 'http', scheme: 'bearer' },
  });
});

test('the tasks of a model are listed by method, tag and text, in pages', async () => {
  await create(documentOf('Tasks'));
  const path = `${at('Tasks:1.0')}/tasks`;
  const namesOf = async (query: string) => {
    const { results, total } = await done<{ results: { name: string }[]; total: number }>(
      'GET',
      `${path}${query}`,
    );
    return [total, ...results.map(({ name }) => name)];
  };
  expect(await namesOf('')).toEqual([3, 'listSites', 'createSite', 'delete__sites__id_']);
  expect(await namesOf('?method=delete')).toEqual([1, 'delete__sites__id_']);
  expect(await namesOf('?tag=site&limit=1&skip=1')).toEqual([2, 'createSite']);
  expect(await namesOf('?search=ALL%20sites')).toEqual([1, 'listSites']);
});

test('a document is exported as it was sent, with numbers that no double can hold', async () => {
  const text = `{"swagger":"2.0","info":{"title":"Exact","version":"2"},"x-most":9223372036854775807,"paths":{}}`;
  await send('admin', 'POST', '/integration-models', undefined, { raw: `{ "model" : ${text} }` });
  expect((await send('admin', 'GET', `${at('Exact:2')}/export`)).text).toBe(text);
});

test.each([
  ['application/yaml', (yaml: string) => yaml],
  ['application/json', (yaml: string) => JSON.stringify({ model: yaml })],
])('a document in YAML is read as %s', async (type, bodyOf) => {
  const title = `Yaml ${type.replace('/', '-')}`;
  const yaml = `openapi: 3.1.0\ninfo:\n  title: ${title}\n  version: 4.1\npaths:\n  /a:\n    get: {}\n`;
  const answer = await send('admin', 'POST', '/integration-models', undefined, {
    raw: bodyOf(yaml),
    headers: { 'Content-Type': type },
  });
  expect(answer.json).toMatchObject({ data: { versionId: `${title}:4.1` } });
  expect(await done('GET', `${at(`${title}:4.1`)}/export`)).toEqual({
    openapi: '3.1.0',
    info: { title, version: 4.1 },
    paths: { '/a': { get: {} } },
  });
});

test('a title with a slash travels encoded, and unescaped in the model that a client deletes by', async () => {
  await create(documentOf('Core/Edge'));
  expect(await done('GET', at('Core/Edge:1.0'))).toMatchObject({ versionId: 'Core/Edge:1.0' });
  expect(await done('GET', `${at('Core/Edge:1.0')}/export`)).toMatchObject({ openapi: '3.0.3' });
  expect(await done('DELETE', '/integration-models/@switchyard/adapter_Core/Edge:1.0')).toEqual({
    status: 'OK',
    message: 'Successfully deleted Core/Edge:1.0.',
  });
  expect((await send('admin', 'GET', at('Core/Edge:1.0'))).status).toBe(404);
});

test('a second document of the same title and version is a conflict, and PUT replaces the first', async () => {
  await create(documentOf('Twice'));
  expect(await send('admin', 'POST', '/integration-models', { model: documentOf('Twice') })).toMatchObject({
    status: 409,
  });
  const paths = {
    '/sites': {
      get: { operationId: 'listSites', summary: 'Sites, all of them' },
      put: { operationId: 'putSites' },
    },
    '/sites/{id}': { delete: {} },
  };
  const answer = await done('PUT', '/integration-models', { model: documentOf('Twice', { paths }) });
  expect(answer).toMatchObject({
    status: 'OK',
    data: { versionId: 'Twice:1.0' },
    metadata: { added: ['putSites'], changed: ['listSites'], removed: ['createSite'], usedBy: [] },
  });
  const { total } = await done('GET', `${at('Twice:1.0')}/tasks`);
  expect(total).toBe(3);
  expect(
    await send('admin', 'PUT', '/integration-models', { model: documentOf('Never imported') }),
  ).toMatchObject({ status: 404 });
});

test('a replaced model names the workflows whose tasks it changes or removes', async () => {
  await create(documentOf('Used'));
  const task = (name: string) => ({
    name,
    app: 'Used:1.0',
    location: 'Adapter',
    locationType: 'Used:1.0',
    type: 'automatic',
    variables: { incoming: {}, outgoing: {}, error: '' },
  });
  const imported = await send('admin', 'POST', '/automation-studio/automations/import', {
    automations: [
      {
        name: 'Use sites',
        type: 'automation',
        canvasVersion: 3,
        tasks: { a1: task('createSite'), a2: task('listSites') },
        transitions: {},
      },
    ],
  });
  expect(imported.status, imported.text).toBe(200);
  const { metadata } = await done<{ metadata: Fields }>('PUT', '/integration-models', {
    model: documentOf('Used', {
      paths: { '/sites': { get: { operationId: 'listSites', tags: ['site'], summary: 'All sites' } } },
    }),
  });
  expect(metadata).toMatchObject({
    changed: [],
    removed: ['createSite', 'delete__sites__id_'],
    usedBy: [{ workflow: 'Use sites', task: 'createSite' }],
  });
});

test('a model that an adapter uses cannot be deleted, and the adapter is named', async () => {
  await create(documentOf('Needed'));
  const { db } = service;
  const { adapters } = await import('#db/tables/integrations/adapters.ts');
  await db.insert(adapters).values({
    id: 'sites-east',
    doc: { name: 'sites-east', properties: { id: 'sites-east', type: 'Needed:1.0' } } as never,
  });
  expect(await send('admin', 'DELETE', at('Needed:1.0'))).toMatchObject({
    status: 409,
    json: { message: expect.stringContaining('sites-east') },
  });
});

test('validation names what would be left out, stores nothing, and wins over a model of that name', async () => {
  const paths = { '/a/{id}/{id}': { get: {} }, '/b': { get: {}, parameters: 7 } };
  const model = documentOf('Checked', { paths });
  const answer = await done<{ warnings: { path: unknown[]; message: string }[] }>(
    'PUT',
    '/integration-models/validation',
    { model },
  );
  expect(answer).toMatchObject({ status: 'OK' });
  expect(answer.warnings).toContainEqual({
    path: ['paths', '/a/{id}/{id}', 'get'],
    message: 'is left out: its path names {id} twice',
  });
  expect(answer.warnings.map(({ path }) => path)).toContainEqual(['paths', '/b', 'get']);
  expect((await send('admin', 'GET', at('Checked:1.0'))).status).toBe(404);
});

test.each([
  ['a text that is neither JSON nor YAML', '{"a": [}', 'model'],
  ['a list', '[]', 'model'],
  ['nothing', '{}', 'model'],
  ['another member beside it', { model: documentOf('Other'), force: true }, 'force'],
  ['an unknown version', { model: documentOf('Other', { openapi: '4.0.0' }) }, 'model.openapi'],
  ['no title and version', { model: documentOf('Other', { info: {} }) }, 'model.info.title'],
  ['a control character in the title', { model: documentOf('a\u0007b') }, 'model.info.title'],
  [
    'a reference to another document',
    {
      model: documentOf('Other', {
        paths: { '/a': { get: { parameters: [{ $ref: 'http://127.0.0.1:1/x.json' }] } } },
      }),
    },
    'model.paths./a.get.parameters.0.$ref',
  ],
])('a request with %s is rejected and the place named', async (_, body, place) => {
  const answer = await send('admin', 'POST', '/integration-models', undefined, {
    raw: typeof body === 'string' ? body : JSON.stringify(body),
  });
  expect(answer.status, answer.text).toBe(400);
  const { issues } = answer.json as { issues: { path: unknown[] }[] };
  expect(issues.map(({ path }) => path.join('.'))).toContain(place);
});

test.skipIf(!isLong)('a document over 16 MiB is too large', async () => {
  const model = documentOf('Large', { 'x-filling': 'x'.repeat(16 * 1024 * 1024) });
  expect((await send('admin', 'POST', '/integration-models', { model })).status).toBe(413);
});

type Role = { name: string; provenance: string; allowedMethods: object[] };
const rolesOf = async (provenance: string) =>
  (
    await done<{ results: Role[] }>(
      'GET',
      `/authorization/roles?equals[provenance]=${encodeURIComponent(provenance)}`,
    )
  ).results;

test('a model brings two roles and its methods, which go with it', async () => {
  await create(documentOf('Roles'));
  const methods = `/authorization/methods?equals[provenance]=${encodeURIComponent('Roles:1.0')}`;
  expect(await done('GET', methods)).toMatchObject({ total: 3 });
  expect(await rolesOf('Roles:1.0')).toMatchObject([
    {
      name: 'admin',
      allowedMethods: ['listSites', 'createSite', 'delete__sites__id_'].map((name) => ({
        name,
        provenance: 'Roles:1.0',
      })),
    },
    { name: 'get', allowedMethods: [{ name: 'listSites', provenance: 'Roles:1.0' }] },
  ]);
  await done('DELETE', at('Roles:1.0'));
  expect(await done('GET', methods)).toMatchObject({ total: 0 });
  expect(await rolesOf('Roles:1.0')).toEqual([]);
});
