import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createAdmin } from '#server/domains/identity/index.ts';
import {
  countOperations,
  type OpenApiDocument,
  publicDocuments,
} from '../../helpers/integrations/openapi-documents.ts';
import { openService } from '../../helpers/service.ts';

/*
 * The requests that four public clients of integrations send, in their order, and of each answer what the client decodes:
 * a member that is missing or of another type is one on which the client fails.
 */

const service = await openService();
const PASSWORD = 'Walnut-bridge-72-sleet';
await createAdmin(service.db, PASSWORD);

let sent = 0;
let accepted = 0;
afterAll(() => {
  process.stdout.write(`clients: ${accepted} of ${sent} answers accepted\n`);
});

/** A client that sends its token in a header, and reads an answer only with one of the given statuses. */
function clientWith(headers: Record<string, string>) {
  return async <Shape extends z.ZodType>(
    method: string,
    path: string,
    shape: Shape,
    body?: unknown,
    status = 200,
  ): Promise<z.infer<Shape>> => {
    sent += 1;
    const answer = await service.send(null, method, path, body, { headers });
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(status);
    const read = shape.parse(answer.json ?? answer.text);
    accepted += 1;
    return read;
  };
}
const token = async () =>
  (await service.send(null, 'POST', '/login', { user: { username: 'admin', password: PASSWORD } })).text;
const bearer = async () => clientWith({ Authorization: `Bearer ${await token()}` });

const anyObject = z.record(z.string(), z.unknown());
/** A map of a typed language: an object, or null or absent. */
const map = anyObject.nullish();
const model = z.object({
  model: z.string(),
  versionId: z.string(),
  description: z.string(),
  properties: z.object({
    authentication: anyObject,
    server: z.object({ protocol: z.string(), host: z.string(), base_path: z.string() }),
    tls: z.object({ enabled: z.boolean() }),
    version: z.string(),
  }),
});
const integration = z.object({
  name: z.string(),
  type: z.string(),
  model: z.string(),
  properties: anyObject,
  isEncrypted: z.boolean().nullish(),
  loggerProps: map,
  virtual: z.boolean().nullish(),
  profiling: z.boolean().nullish(),
  systemProps: map,
  eventDeduplication: map,
});
const entry = z.object({ data: integration, metadata: anyObject });
const listed = z.object({
  results: z.array(entry),
  total: z.int(),
});
const models = z.object({ integrationModels: z.array(model), total: z.int() });
const reported = z.object({ status: z.string(), message: z.string() });

const documentOf = (title: string): OpenApiDocument => ({
  openapi: '3.0.3',
  info: { title, version: '1.0' },
  servers: [{ url: 'https://sites.example.net/api' }],
  components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/sites': { get: { operationId: 'listSites', responses: {} }, post: { responses: {} } },
    '/sites/{id}': { delete: { operationId: 'deleteSite', responses: {} } },
  },
});

test('a command-line client imports, lists, exports and deletes models and integrations', async () => {
  const ask = await bearer();
  const document = documentOf('Command line sites');
  const created = await ask(
    'POST',
    '/integration-models',
    reported.extend({ data: z.object({ versionId: z.string() }) }),
    { model: document },
  );
  // It puts names into paths without escaping more than an address needs.
  const path = encodeURI(`/integration-models/${created.data.versionId}`);
  const stored = await ask('GET', path, model);
  expect(await ask('GET', `${path}/export`, anyObject)).toEqual(document);
  expect((await ask('GET', '/integration-models', models)).integrationModels).toContainEqual(stored);
  const made = {
    ...{ name: 'cli-sites', type: 'Adapter', model: '', isEncrypted: false, virtual: true, profiling: false },
    properties: { id: 'cli-sites', type: created.data.versionId },
    ...{ loggerProps: null, systemProps: null, eventDeduplication: null },
  };
  const { data } = await ask('POST', '/integrations', reported.extend({ data: integration }), {
    properties: made,
  });
  expect(data).toMatchObject({ name: 'cli-sites', type: 'Adapter', virtual: true });
  const one = await ask(
    'GET',
    '/integrations/cli-sites',
    z.object({ data: integration, metadata: anyObject }),
  );
  expect((await ask('GET', '/integrations', listed)).results.map((each) => each.data)).toContainEqual(
    one.data,
  );
  await ask('DELETE', '/integrations/cli-sites', reported);
  await ask('DELETE', encodeURI(`/integration-models/${stored.model}`), reported);
  await ask('GET', path, reported.partial(), undefined, 404);
});

test('a library for assistants validates and creates models, and pages through integrations of a model', async () => {
  const ask = await bearer();
  const document = documentOf('Assistant sites');
  const { title, version } = document.info;
  await ask('GET', '/integration-models', models);
  await ask('PUT', '/integration-models/validation', reported, { model: document });
  await ask(
    'POST',
    '/integration-models',
    z.object({ status: z.enum(['OK', 'CREATED']), message: z.string() }),
    { model: document },
  );
  const { integrationModels } = await ask('GET', '/integration-models', models);
  const found = integrationModels.find(({ versionId }) => versionId === `${title}:${version}`);
  expect([found?.versionId.split(':')[0], found?.properties.version]).toEqual([title, version]);
  for (const name of ['assistant-east', 'assistant-west'])
    await ask('POST', '/integrations', reported, {
      properties: { name, type: 'Adapter', virtual: true, properties: { id: name, type: found?.versionId } },
    });
  const filter = `&containsField=model&contains=${encodeURIComponent(title)}`;
  for (const query of ['', filter]) {
    const names: string[] = [];
    for (let total = 1, skip = 0; names.length < total; skip += 1) {
      const page = await ask('GET', `/integrations?limit=1&skip=${skip}${query}`, listed);
      expect(page.results).toHaveLength(1);
      names.push(...page.results.map(({ data }) => data.name));
      total = page.total;
    }
    expect(names.filter((name) => name.startsWith('assistant'))).toHaveLength(2);
  }
});

test('an asynchronous library replaces a model by deleting it first, and sends an integration as a flat body', async () => {
  const ask = await bearer();
  const document = documentOf('Async sites');
  const id = 'Async sites:1.0';
  const find = (path: string, name: string) =>
    `${path}?limit=100&sort=name&order=1&equalsField=name&equals=${encodeURIComponent(name)}`;
  const path = `/integration-models/${encodeURIComponent(id)}`;
  const withData = reported.extend({ data: anyObject });
  expect(await ask('GET', find('/integration-models', id), models)).toMatchObject({ total: 0 });
  await ask('POST', '/integration-models', withData, { model: document });
  await ask('PUT', '/integration-models', withData, { model: document });
  expect(await ask('GET', find('/integration-models', id), models)).toMatchObject({ total: 1 });
  await ask('DELETE', path, reported);
  await ask('POST', '/integration-models', withData, { model: document });
  // Further pages are asked for with both: limit and skip, then the filter again.
  await ask('GET', '/integration-models?limit=100&skip=100&sort=name&order=1', models);
  // This client reads the list as `integrations`, the others as `results`.
  const underItsName = z.object({ integrations: z.array(entry), total: z.int() });
  expect(await ask('GET', find('/integrations', 'async-sites'), underItsName)).toEqual({
    integrations: [],
    total: 0,
  });
  const flat = {
    ...{ name: 'async-sites', type: 'Adapter', virtual: true, model: `@switchyard/adapter_${id}` },
    properties: { id: 'async-sites', type: id },
  };
  const { data } = await ask('POST', '/integrations', reported.extend({ data: integration }), flat);
  expect(data).toMatchObject({ name: 'async-sites', properties: { type: id } });
  expect(await ask('GET', find('/integrations', 'async-sites'), underItsName)).toMatchObject({
    integrations: [{ data: { name: 'async-sites' }, metadata: { isActive: true } }],
    total: 1,
  });
  await ask('GET', '/integrations/async-sites', z.object({ data: integration, metadata: anyObject }));
  await ask('DELETE', '/integrations/async-sites', anyObject);
  await ask('DELETE', path, anyObject);
});

/** Documents of the validator: one of ours, and the public ones. */
const validated = [documentOf('Validated sites'), ...publicDocuments().map(({ document }) => document)];

test.each(validated.map((document, index) => ({ document, index })))(
  'a validator finds a role with a method for every operation of $document.info.title, and clears up',
  async ({ document, index }) => {
    const login = await token();
    const ask = clientWith({ Cookie: `token=${login}` });
    await ask('GET', '/authorization/accounts?limit=1', z.object({ results: z.array(anyObject) }));
    const title = `${document.info.title} ${index}`;
    const { data } = await ask('POST', '/integration-models', reported.extend({ data: model }), {
      model: { ...document, info: { ...document.info, title } },
    });
    const id = `${title}:${document.info.version}`;
    expect(data.versionId).toBe(id);
    const name = `validated-${index}`;
    await ask('POST', '/integrations', reported, {
      properties: { name, type: 'Adapter', properties: { id: name, type: id }, virtual: true },
    });
    const roles = await ask(
      'GET',
      '/authorization/roles?limit=500',
      z.object({ results: z.array(z.object({ _id: z.string(), name: z.string(), provenance: z.string() })) }),
    );
    const role = roles.results.find((one) => one.provenance === id && one.name === 'admin');
    const groups = await ask(
      'GET',
      '/authorization/groups?limit=200',
      z.object({ results: z.array(z.object({ _id: z.string(), name: z.string() })) }),
    );
    const group = `/authorization/groups/${groups.results.find((one) => one.name === 'api_clients')?._id}`;
    const assigned = z.object({ assignedRoles: z.array(z.object({ roleId: z.string() })) });
    const { assignedRoles } = await ask('GET', group, assigned);
    await ask('PATCH', group, reported, {
      updates: { assignedRoles: [...assignedRoles, { roleId: role?._id }] },
    });
    expect((await ask('GET', group, assigned)).assignedRoles).toContainEqual({ roleId: role?._id });
    const { allowedMethods } = await ask(
      'GET',
      `/authorization/roles/${role?._id}`,
      z.object({ allowedMethods: z.array(z.object({ name: z.string(), provenance: z.string() })) }),
    );
    const tasks = `/integration-models/${encodeURIComponent(id)}/tasks`;
    const { total } = await ask('GET', tasks, z.object({ total: z.int() }));
    expect(allowedMethods).toHaveLength(total);
    // Where operations are left out, the import names them (integration-model-documents.long.test.ts).
    expect(total).toBeLessThanOrEqual(countOperations(document));
    await ask('DELETE', `/integrations/${name}`, reported);
    await ask('DELETE', `/integration-models/${encodeURIComponent(id)}`, reported);
    await ask('GET', `/integration-models/${encodeURIComponent(id)}`, reported.partial(), undefined, 404);
    expect((await ask('GET', group, assigned)).assignedRoles).toEqual(assignedRoles);
  },
);
