import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { issuePathsOf, rejectionOf, rolesThatMay, unique } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const { profiles } = await service.as('admin');

const idOf = (word: string) => unique(word).replace(' ', '-');
type Sections = Record<string, unknown>;
const create = async (sections: Sections = {}, id = idOf('made')) => {
  await profiles.createProfile({ properties: { id, ...sections } as never });
  return id;
};
const update = (id: string, properties: Sections) =>
  profiles.updateProfile({ id, properties: properties as never });
const read = async (id: string) => (await profiles.getProfile({ id })).profile;
const stored = async (id: string) => {
  const [row] = await rows<{ doc: string }>(
    service.db,
    sql`select doc::text as doc from profiles where id = ${id}`,
  );
  return row?.doc ?? '';
};

test('a new installation has one profile, active, with every documented section', async () => {
  const { total, results } = await profiles.getProfiles({
    queryOptions: { equals: 'default', equalsField: 'id' },
  });
  expect(total).toBe(1);
  expect(results).toMatchObject([
    {
      metadata: { isActive: true, activeSync: true },
      profile: {
        id: 'default',
        authenticationProps: { logoutTime: 60, cookieName: 'token', uniqueSession: false },
        loggerProps: {},
        redisProps: {},
        rabbitmq: {},
        alarmProps: [],
        systemProps: {},
      },
    },
  ]);
});

test('only an admin reads and writes profiles', async () => {
  expect(await rolesThatMay(service, (as) => as.profiles.getProfiles({}))).toEqual(['admin']);
  expect(await rolesThatMay(service, (as) => as.profiles.deleteProfile({ id: 'none' }))).toEqual(['admin']);
  expect(await rejectionOf((await service.as(null)).profiles.getProfiles({}))).toMatchObject({
    code: 'UNAUTHORIZED',
  });
});

describe('creating a profile', () => {
  test('returns the stored profile with its omitted sections', async () => {
    const id = idOf('made');
    const made = await profiles.createProfile({
      properties: { id, description: 'for tests', alarmProps: [{ ip: '192.0.2.9' }] } as never,
    });
    expect(made).toMatchObject({ status: 'Created', message: `Successfully created ${id}.` });
    const { metadata, profile } = await profiles.getProfile({ id });
    expect(metadata).toEqual({ isActive: false, activeSync: false });
    expect(made.data).toEqual(profile);
    expect(profile).toMatchObject({
      id,
      description: 'for tests',
      alarmProps: [{ ip: '192.0.2.9' }],
      authenticationProps: { logoutTime: 60, cookieName: 'token' },
    });
  });

  test('keeps unknown fields at any depth', async () => {
    const own = { extra: { list: [1, { deep: null }] }, redisProps: { host: '192.0.2.1', more: [] } };
    expect(await read(await create(own))).toMatchObject(own);
  });

  test('is rejected for a taken id', async () => {
    const id = await create();
    expect(await rejectionOf(create({}, id))).toMatchObject({
      code: 'CONFLICT',
      message: `${id} already exists!`,
    });
  });

  test('succeeds once when many create the same id at the same time', async () => {
    const id = idOf('race');
    const answers = await Promise.allSettled(Array.from({ length: 8 }, () => create({}, id)));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test.each<[Sections, string]>([
    [{ redisProps: 'none' }, 'properties.redisProps'],
    [{ authenticationProps: { logoutTime: '60' } }, 'properties.authenticationProps.logoutTime'],
    [{ authenticationProps: { logoutTime: 0 } }, 'properties.authenticationProps.logoutTime'],
    [{ authenticationProps: { cookieName: 'a b' } }, 'properties.authenticationProps.cookieName'],
    [{ loggerProps: { log_level: 'loud' } }, 'properties.loggerProps.log_level'],
    [{ alarmProps: {} }, 'properties.alarmProps'],
    [{ alarmProps: [{ type: 'shout' }] }, 'properties.alarmProps.0.type'],
    [{ id: 'a/b' }, 'properties.id'],
    [{ id: '' }, 'properties.id'],
    [{ id: undefined }, 'properties.id'],
  ])('is rejected for %j, and the field named', async (sections, path) => {
    expect(await issuePathsOf(create(sections))).toContain(path);
  });
});

test('a profile that does not exist is reported by each call', async () => {
  const found = { code: 'NOT_FOUND', message: 'Profile not found.' };
  const named = { code: 'NOT_FOUND', message: 'Profile: none does not exist!' };
  expect(await rejectionOf(profiles.getProfile({ id: 'none' }))).toMatchObject(found);
  expect(await rejectionOf(profiles.exportProfile({ id: 'none' }))).toMatchObject(found);
  expect(await rejectionOf(profiles.deleteProfile({ id: 'none' }))).toMatchObject(named);
  expect(await rejectionOf(profiles.activateProfile({ id: 'none' }))).toMatchObject(named);
  expect(await rejectionOf(update('none', {}))).toMatchObject(named);
});

describe('updating a profile', () => {
  test('replaces the given sections and leaves the others', async () => {
    const id = await create({ redisProps: { db: 1, name: 'a' }, uiProps: { home: '/x' } });
    const answer = await update(id, { redisProps: { db: 2 } });
    expect(answer).toMatchObject({ status: 'OK', message: `Successfully updated ${id}.` });
    const profile = await read(id);
    expect(profile).toMatchObject({ id, uiProps: { home: '/x' } });
    expect(profile.redisProps).toEqual({ db: 2 });
    expect(answer.data).toEqual(profile);
  });

  test('accepts the document as it was read, and changes nothing then', async () => {
    const id = await create({ uiProps: { home: '/x' } });
    const before = await profiles.getProfile({ id });
    await update(id, before.profile);
    expect(await profiles.getProfile({ id })).toEqual(before);
  });

  test('cannot change the id', async () => {
    expect(await issuePathsOf(update(await create(), { id: 'other' }))).toEqual(['properties.id']);
  });
});

test('a deleted profile is gone; the active one cannot be deleted', async () => {
  const id = await create();
  expect(await profiles.deleteProfile({ id })).toMatchObject({ status: 'OK' });
  expect(await rejectionOf(profiles.getProfile({ id }))).toMatchObject({ code: 'NOT_FOUND' });
  expect(await rejectionOf(profiles.deleteProfile({ id: 'default' }))).toMatchObject({ code: 'CONFLICT' });
});

describe('secrets of a profile', () => {
  const secret = 'correct-horse-battery';
  const sections = {
    redisProps: { username: 'u', password: secret },
    rabbitmq: { passphrase: secret, keyPath: `/etc/${secret}.pem` },
    expressProps: { express_https: { key: `/etc/${secret}.pem`, cert: '/etc/cert.pem' } },
    prebuiltProps: {
      repoConfigs: { '@lab': { hostname: 'git.example.net', credentials: { token: secret } } },
    },
    own: { apiKey: { nested: [secret] }, tokens: [[secret]], list: [{ host: 'a', secret }] },
  };
  const placeholders = {
    redisProps: { username: 'u', password: '<PASSWORD>' },
    rabbitmq: { passphrase: '<PASSPHRASE>', keyPath: '<PASSWORD>' },
    expressProps: { express_https: { key: '<PASSWORD>', cert: '/etc/cert.pem' } },
    prebuiltProps: { repoConfigs: { '@lab': { credentials: { token: '<ACCESS_TOKEN>' } } } },
    own: { apiKey: '<ACCESS_TOKEN>', tokens: '<ACCESS_TOKEN>', list: [{ host: 'a', secret: '<PASSWORD>' }] },
  };

  test('are placeholders in every answer, and sealed in the database', async () => {
    const id = await create(sections);
    expect(await read(id)).toMatchObject(placeholders);
    const answers = [await profiles.exportProfile({ id }), await profiles.getProfiles({})];
    expect(JSON.stringify(answers)).not.toContain(secret);
    expect(await stored(id)).not.toContain(secret);
    expect(await stored(id)).toContain('sealed:v2:');
  });

  test('stay when their placeholders come back', async () => {
    const id = await create(sections);
    const before = await stored(id);
    await update(id, await read(id));
    expect(await stored(id)).toBe(before);
    await update(id, { redisProps: { username: 'u', password: '********' } });
    expect(await stored(id)).toBe(before);
  });

  test.each([null, ''])('are cleared by %j', async (password) => {
    const id = await create({ redisProps: { password: 'again' } });
    await update(id, { redisProps: { password } });
    expect((await read(id)).redisProps).toEqual({ password });
    expect(JSON.parse(await stored(id)).redisProps).toEqual({ password });
  });

  test('do not move to another element of a list', async () => {
    const moved = { own: { list: [{ host: 'evil.example.net', secret: '<PASSWORD>' }] } };
    expect(await issuePathsOf(update(await create(sections), moved))).toEqual([
      'properties.own.list.0.secret',
    ]);
  });

  test('that are imported as placeholders are unset, and named in the message', async () => {
    const profile = await read(await create(sections));
    const id = idOf('copy');
    const { message, data } = await profiles.importProfile({ properties: { ...profile, id } as never });
    expect(message).toContain(`Successfully created ${id}. Secrets still to be set: `);
    expect(message).toContain('rabbitmq.passphrase');
    expect(data).toMatchObject({ rabbitmq: { passphrase: '', keyPath: '' } });
  });

  test.each([
    { equals: 'x', equalsField: 'redisProps.password' },
    { startsWith: 'c', startsWithField: 'rabbitmq.passphrase' },
    { contains: 'c', containsField: 'prebuiltProps.repoConfigs.@lab.credentials.token' },
    { greaterThan: 'c', greaterThanField: 'redisProps.password' },
    { sort: 'redisProps.password' },
  ])('cannot be searched or sorted by: %j', async (queryOptions) => {
    expect(await rejectionOf(profiles.getProfiles({ queryOptions }))).toMatchObject({ code: 'BAD_REQUEST' });
  });
});

describe('listing profiles', () => {
  const ids = async (queryOptions: object) =>
    (await profiles.getProfiles({ queryOptions })).results.map(({ profile }) => profile.id);

  test('returns everything by id when no limit is given, and counts all matches', async () => {
    await create();
    const { results, total } = await profiles.getProfiles({});
    const all = results.map(({ profile }) => profile.id);
    expect(all).toEqual([...all].sort());
    expect(total).toBe(all.length);
    const page = await profiles.getProfiles({ queryOptions: { limit: 1, skip: 1, sort: 'id', order: -1 } });
    expect(page).toMatchObject({ total, results: [{ profile: { id: all.at(-2) } }] });
  });

  test('filters by fields of the profile, nested ones too', async () => {
    const word = unique('zebra');
    const id = await create({ description: `For ${word}`, alarmProps: [{ ip: '192.0.2.77' }] });
    expect(await ids({ equals: id, equalsField: 'id' })).toEqual([id]);
    expect(await ids({ startsWith: id.toUpperCase(), startsWithField: 'id' })).toEqual([id]);
    expect(await ids({ contains: word.toUpperCase(), containsField: 'description' })).toEqual([id]);
    expect(await ids({ equals: '192.0.2.77', equalsField: 'alarmProps.ip' })).toEqual([id]);
    expect(await ids({ equals: 'nothing', equalsField: 'description' })).toEqual([]);
  });

  test.each([
    { equals: 'x' },
    { equalsField: 'id' },
    { equals: 'x', equalsField: 'nonsense' },
    { sort: 'nonsense' },
    { sort: 'metadata.isActive' },
    { limit: 0 },
    { limit: 1001 },
    { order: 2 },
    { stray: 1 },
  ])('is rejected with %j', async (queryOptions) => {
    const call = profiles.getProfiles({ queryOptions: queryOptions as never });
    expect((await rejectionOf(call)).issues).not.toEqual([]);
  });
});
