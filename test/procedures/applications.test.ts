import { expect, test } from 'vitest';
import { issuePathsOf, rejectionOf, rolesThatMay } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const { applications, health, tags } = await service.as('admin');

const read = async (name: string) => (await applications.getApplication({ name })).data;
const isActive = async (name: string) => (await applications.getApplication({ name })).metadata.isActive;

test('there is one application for each area of the catalogue', async () => {
  const areas = new Set(service.platform.catalogue.map(({ permission }) => permission.split('.')[0]));
  const { results, total } = await applications.getApplications({});
  expect(results.map(({ data }) => data.name)).toEqual([...areas].sort());
  expect(total).toBe(areas.size);
  for (const { metadata, data } of results) {
    expect(metadata).toEqual({ isActive: true, activeSync: true });
    expect(data).toMatchObject({ type: 'Application', properties: { id: data.name, type: data.name } });
  }
});

test('applications are filtered by fields of theirs, sorted and paged', async () => {
  const names = async (queryOptions: object) =>
    (await applications.getApplications({ queryOptions })).results.map(({ data }) => data.name);
  const all = await names({});
  expect(await names({ equals: 'Profiles', equalsField: 'name' })).toEqual(['Profiles']);
  expect(await names({ equals: 'profiles', equalsField: 'name' })).toEqual([]);
  expect(await names({ contains: 'ROFIL', containsField: 'name' })).toEqual(['Profiles']);
  expect(await names({ startsWith: 'prof', startsWithField: 'name' })).toEqual(['Profiles']);
  expect(await names({ equals: 'Profiles', equalsField: 'properties.id' })).toEqual(['Profiles']);
  expect(await names({ skip: 1, limit: 2, sort: 'name', order: -1 })).toEqual(all.toReversed().slice(1, 3));
});

test('the calls of a stopped application are unavailable until it is started again', async () => {
  await applications.stopApplication({ name: 'Tags' });
  expect(await isActive('Tags')).toBe(false);
  expect(await rejectionOf(tags.listTags({}))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect((await health.getApplication({ name: 'Tags' })).state).toBe('STOPPED');
  await applications.stopApplication({ name: 'Tags' });
  await applications.startApplication({ name: 'Tags' });
  expect(await tags.listTags({})).toEqual([]);
  await applications.restartApplication({ name: 'Tags' });
  expect((await health.getApplication({ name: 'Tags' })).state).toBe('RUNNING');
});

test.each(['Applications', 'Health'])('%s cannot be stopped, started or restarted', async (name) => {
  for (const call of [
    applications.stopApplication,
    applications.startApplication,
    applications.restartApplication,
  ]) {
    expect(await rejectionOf(call({ name }))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(name),
    });
  }
  expect(await isActive(name)).toBe(true);
});

test('an update replaces the given fields, leaves the others and keeps unknown ones', async () => {
  const properties = { profiling: true, eventDeduplication: { active: false }, own: { list: [1, null] } };
  const { message, data } = await applications.updateApplication({ name: 'Session', properties });
  expect(message).toBe('Successfully updated Session.');
  expect(data).toMatchObject({ name: 'Session', ...properties, loggerProps: { log_level: 'info' } });
  expect(await read('Session')).toEqual(data);
  await applications.updateApplication({ name: 'Session', properties: data });
  expect(await read('Session')).toEqual(data);
});

test.each([
  [{ name: 'Other' }, 'properties.name'],
  [{ type: 'Adapter' }, 'properties.type'],
  [{ model: 'other' }, 'properties.model'],
  [{ profiling: 'yes' }, 'properties.profiling'],
  [{ loggerProps: { log_level: 'loud' } }, 'properties.loggerProps.log_level'],
])('an update with %j is rejected and the field named', async (properties, path) => {
  const call = applications.updateApplication({ name: 'Session', properties: properties as never });
  expect(await issuePathsOf(call)).toEqual([path]);
});

test('settings are laid over the stored ones; the id stays', async () => {
  const put = (properties: Record<string, unknown>) =>
    applications.updateApplicationProperties({ name: 'Search', properties });
  await put({ brokers: ['aaa'], own: { a: 1, b: 2 } });
  expect((await put({ own: { b: 3 } })).data.properties).toEqual(
    expect.objectContaining({ id: 'Search', brokers: ['aaa'], own: { a: 1, b: 3 } }),
  );
  expect(await rejectionOf(put({ id: 'x' }))).toMatchObject({ code: 'BAD_REQUEST' });
});

test('secrets among the settings are masked in answers', async () => {
  const properties = { remote: { password: 'correct-horse-battery', host: 'a' } };
  const { data } = await applications.updateApplicationProperties({ name: 'Audit', properties });
  expect(data.properties).toMatchObject({ remote: { password: '********', host: 'a' } });
  expect(JSON.stringify(await applications.getApplications({}))).not.toContain('correct-horse');
});

test.each([
  [{ loglevel: 'debug' }, { log_level: 'debug', console_level: 'debug' }],
  [{ loglevel: 'warn', transport: 'file' }, { log_level: 'warn' }],
  [{ properties: { transport: 'console', level: 'error' } }, { console_level: 'error' }],
  [{ properties: { transport: 'syslog', level: 'spam' } }, { syslog: { level: 'spam' } }],
] as const)('the log level is set by %j', async (input, loggerProps) => {
  const { data } = await applications.setLogLevel({ name: 'Profiles', ...input });
  expect(data).toMatchObject({ loggerProps });
  expect(await read('Profiles')).toMatchObject({ loggerProps });
});

test('health reports the log levels of an application', async () => {
  await applications.setLogLevel({ name: 'Search', loglevel: 'warn' });
  expect((await health.getApplication({ name: 'Search' })).logger).toMatchObject({
    file: 'warn',
    console: 'warn',
  });
});

test.each([
  {},
  { loglevel: 'loud' },
  { loglevel: 'info', transport: 'pigeon' },
  { properties: { transport: 'file' } },
  { properties: { level: 'info' }, loglevel: 'info' },
])('the log level %j is rejected', async (input) => {
  const call = applications.setLogLevel({ name: 'Profiles', ...(input as object) });
  expect(await rejectionOf(call)).toMatchObject({ code: 'BAD_REQUEST' });
});

test('applications are built in: none can be created, and an unknown one is reported', async () => {
  expect(await rejectionOf(applications.createApplication({ properties: { name: 'Mine' } }))).toMatchObject({
    message: expect.stringContaining('built in'),
  });
  for (const call of [applications.getApplication, applications.getApplicationSchema]) {
    expect(await rejectionOf(call({ name: 'Mine' }))).toMatchObject({ code: 'NOT_FOUND' });
  }
  expect(await applications.getApplicationSchema({ name: 'Tags' })).toHaveProperty('$defs.Application');
});

test('apiread reads applications, only an admin changes them', async () => {
  expect(await rolesThatMay(service, (as) => as.applications.getApplications({}))).toEqual([
    'admin',
    'apiread',
  ]);
  expect(
    await rolesThatMay(service, (as) => as.applications.updateApplication({ name: 'none', properties: {} })),
  ).toEqual(['admin']);
});
