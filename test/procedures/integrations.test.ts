import { expect, test } from 'vitest';
import { openWebService } from '../helpers/devices/web-service.ts';
import { documentOf, integrationOf, serverAt, storeModel } from '../helpers/integrations/integrations.ts';
import { issuePathsOf, rejectionOf, rolesThatMay, unique } from '../helpers/procedures.ts';
import { until } from '../helpers/processes/processes.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const web = await openWebService(({ url, headers }, response) => {
  if (url === '/never') return;
  response
    .writeHead(200, { 'Content-Type': 'application/json' })
    .end(JSON.stringify({ url, signed: headers.authorization === `Bearer ${SECRET}` }));
});
const { integrations } = await service.as('admin');

const SECRET = 'Sites-Secret-7';
await storeModel(
  service,
  documentOf(
    'Sites',
    { '/sites': { get: { operationId: 'listSites' } }, '/never': { get: { operationId: 'wait' } } },
    {
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      security: [{ token: [] }],
    },
  ),
);
const connection = { ...serverAt(web.port), authentication: { token: { token: SECRET } } };
const documentFor = (name: string, more: object = {}) =>
  integrationOf(name, 'Sites:1', { ...connection, ...more }).properties;
const create = async (more: object = {}) => {
  const name = unique('sites').replace(' ', '-');
  await integrations.createIntegration({ properties: documentFor(name, more) });
  return name;
};

test('an integration is stored, read and listed with its secrets masked, and its task signs in with them', async () => {
  const name = await create();
  const read = await integrations.getIntegration({ name });
  const listed = await integrations.listIntegrations({
    queryOptions: { equals: name, equalsField: 'name' },
  });
  expect(listed).toMatchObject({ total: 1, results: [{ data: { name } }] });
  const shown = JSON.stringify([read, listed]);
  expect(shown).toContain('********');
  expect(shown).not.toContain(SECRET);
  expect(await integrations.runTask({ integration: name, task: 'listSites' })).toMatchObject({
    ok: true,
    body: { url: '/sites', signed: true },
  });
});

test('settings are changed and replaced while masked secrets are kept, and can be tested without being stored', async () => {
  const name = await create();
  await integrations.updateProperties({ name, properties: { maxConcurrent: 4 } });
  const { data } = await integrations.getIntegration({ name });
  expect(data.properties.properties).toMatchObject({ maxConcurrent: 4 });
  await integrations.replaceIntegration({ name, properties: data as never });
  expect(await integrations.testIntegration({ name, task: 'listSites' })).toMatchObject({ ok: true });
  const moved = integrations.updateProperties({ name, properties: { server: { host: 'localhost' } } });
  expect(await rejectionOf(moved)).toMatchObject({ code: 'BAD_REQUEST' });
});

test('a connection out of bounds is rejected and the field named', async () => {
  const rateLimit = { requests: 1, perSeconds: 0 };
  expect(await issuePathsOf(create({ rateLimit }))).toEqual([
    'properties.properties.properties.rateLimit.perSeconds',
  ]);
});

test('an integration has the schema of its connection, and after its deletion is unknown', async () => {
  const name = await create();
  expect(await integrations.getConnectionSchema({ name })).toHaveProperty('properties.rateLimit');
  await integrations.deleteIntegration({ name });
  for (const call of [
    integrations.getIntegration,
    integrations.deleteIntegration,
    integrations.testIntegration,
  ]) {
    expect(await rejectionOf(call({ name }))).toMatchObject({ code: 'NOT_FOUND' });
  }
});

test('apiread reads integrations, only an admin changes them', async () => {
  expect(await rolesThatMay(service, (as) => as.integrations.listIntegrations({}))).toEqual([
    'admin',
    'apiread',
  ]);
  expect(await rolesThatMay(service, (as) => as.integrations.deleteIntegration({ name: 'no-such' }))).toEqual(
    ['admin'],
  );
});

test('a client that leaves while the other system is awaited is no internal error', async () => {
  const name = await create();
  const { token } = await service.callerWith('admin');
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const signal = AbortSignal.timeout(500);
  const left = fetch(`${service.url}/${name}/wait`, { method: 'POST', headers, body: '{}', signal });
  await expect(left).rejects.toThrow('timeout');
  const lines = await until('the request is logged', async () => {
    const found = service.logged.filter((line) => line.includes('integrations.runTask'));
    return found.length > 0 ? found : undefined;
  });
  expect(lines.join('')).toContain('CLIENT_CLOSED_REQUEST');
  expect(service.logged.join('')).not.toContain('internal error');
});
