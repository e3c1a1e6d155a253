import { expect, test } from 'vitest';
import { RELEASE } from '#server/kernel/config.ts';
import { isLong } from '../helpers/long.ts';
import { issuePathsOf, rejectionOf, rolesThatMay } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const { health } = await service.as('apiread');

test('everybody learns whether the service and its database are alive', async () => {
  const nobody = await service.as(null);
  const status = await nobody.health.getStatus({});
  expect(status).toMatchObject({ apps: 'running', adapters: 'running' });
  expect(status.services).toContainEqual({ service: 'database', status: 'running' });
  expect(Math.abs(status.timestamp - Date.now())).toBeLessThan(5000);
  expect(await nobody.health.getStatus({ 'exclude-services': true })).not.toHaveProperty('services');
});

test('the server reports the process that answers', async () => {
  expect(await health.getServer({})).toMatchObject({
    version: RELEASE,
    pid: process.pid,
    arch: process.arch,
    platform: process.platform,
  });
});

test('the system reports every processor of the machine', async () => {
  const { cpus, freemem, totalmem } = await health.getSystem({});
  expect(cpus.length).toBeGreaterThan(0);
  expect(freemem).toBeLessThan(totalmem);
});

test('every application and adapter has a health entry, in lists and alone', async () => {
  const applications = await health.getApplications({});
  expect(applications.total).toBe(applications.results.length);
  const { id } = await health.getApplication({ name: 'Tags' });
  expect(applications.results.map((one) => one.id)).toContain(id);
  const found = await health.getApplications({ queryOptions: { equals: 'Tags', equalsField: 'id' } });
  expect(found).toMatchObject({ total: 1, results: [{ id: 'Tags', state: 'RUNNING' }] });
  const adapters = await health.getAdapters({});
  expect(adapters.results.map((one) => one.id)).toContain(
    (await health.getAdapter({ name: 'local_aaa' })).id,
  );
});

test('an unknown part, filter or field is rejected', async () => {
  for (const call of [health.getApplication, health.getAdapter]) {
    expect(await rejectionOf(call({ name: 'Mine' }))).toMatchObject({ code: 'NOT_FOUND' });
  }
  const sorted = health.getApplications({ queryOptions: { sort: 'nonsense' } });
  expect(await rejectionOf(sorted)).toMatchObject({ code: 'BAD_REQUEST' });
  expect(await issuePathsOf(health.getStatus({ colour: 'red' } as never))).toEqual(['colour']);
  expect(await issuePathsOf(health.getOpenApi({ url: 'javascript:alert(1)' }))).toEqual(['url']);
});

// The document takes seconds to write; test/rest/operations/health.test.ts asks for it in the short form.
test.skipIf(!isLong)('the OpenAPI document names where the service is served', async () => {
  expect(await health.getOpenApi({ url: 'https://noc.example.net' })).toMatchObject({
    openapi: expect.stringMatching(/^3\./),
    servers: [{ url: 'https://noc.example.net' }],
  });
});

test('every signed-in account reads the release; admin and apiread read figures', async () => {
  expect(await (await service.as('other')).health.getVersion({})).toBe(RELEASE);
  expect(await rejectionOf((await service.as(null)).health.getVersion({}))).toMatchObject({
    code: 'UNAUTHORIZED',
  });
  expect(await health.getMetrics({})).toContain('# TYPE ');
  expect(await rolesThatMay(service, (as) => as.health.getMetrics({}))).toEqual(['admin', 'apiread']);
  expect(await rolesThatMay(service, (as) => as.health.getSystem({}))).toEqual(['admin', 'apiread']);
});
