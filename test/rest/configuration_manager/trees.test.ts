import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { GoldenTree, TreeVersion } from '#db/schemas/golden-config/golden-tree.ts';
import { issuesOf, openConfiguration } from '../../helpers/configuration.ts';

const { as, count, done, send } = await openConfiguration();

let counter = 0;
const create = (name = `Tree ${counter++}`) =>
  done<TreeVersion>('POST', '/configs', { name, deviceType: 'cisco-ios' });

test('a new tree has the version initial, a root base with an empty spec, and a summary', async () => {
  const made = await done<TreeVersion>('POST', '/configs', {
    name: 'Edge routers',
    deviceType: 'cisco-ios',
    description: 'all of them',
  });
  expect(made).toMatchObject({
    treeId: made.id,
    name: 'Edge routers',
    version: 'initial',
    deviceType: 'cisco-ios',
    variables: {},
    root: {
      name: 'base',
      attributes: { devices: [], deviceGroups: [], remediationWorkflow: null },
      children: [],
    },
  });
  expect(made._id).not.toBe(made.id);
  expect(await done('GET', `/configs/${made.id}/initial`)).toEqual(made);
  const tree = await done<GoldenTree>('GET', `/configs/${made.id}`);
  expect(tree).toMatchObject({
    id: made.id,
    _id: made.id,
    name: 'Edge routers',
    deviceType: 'cisco-ios',
    description: 'all of them',
    versions: ['initial'],
    gbac: { read: [], write: [] },
    tags: [],
    created: made.created,
    lastUpdated: made.lastUpdated,
  });
  const spec = await done('GET', `/config_specs/${made.root.attributes?.configId}`);
  expect(spec).toMatchObject({ deviceType: 'cisco-ios', template: '', lines: [] });
});

test('null for the description is no description', async () => {
  const made = await done<TreeVersion>('POST', '/configs', {
    name: 'Plain',
    deviceType: 'json',
    description: null,
  });
  expect(await done('GET', `/configs/${made.id}`)).toMatchObject({ description: '' });
});

test('a taken name is rejected, with the words that clients relay', async () => {
  await create('Taken');
  const answer = await send('POST', '/configs', { name: 'Taken', deviceType: 'cisco-ios' });
  expect(answer).toMatchObject({
    status: 409,
    json: { code: 'CONFLICT', message: 'A tree with the name already exists' },
  });
});

test('a device type that no parser is named after is rejected', async () => {
  const answer = await send('POST', '/configs', { name: 'Odd', deviceType: 'nobody-os' });
  expect(answer.status).toBe(400);
  expect(issuesOf(answer)).toEqual(['deviceType: no config parser is named "nobody-os"']);
});

test('of two that create a tree of one name at the same moment, one is rejected', async () => {
  const tries = Array.from({ length: 6 }, () =>
    send('POST', '/configs', { name: 'Raced', deviceType: 'json' }),
  );
  const statuses = (await Promise.all(tries)).map(({ status }) => status).sort();
  expect(statuses).toEqual([200, 409, 409, 409, 409, 409]);
  expect(await count(sql`from golden_trees where name = 'Raced'`)).toBe(1);
});

test('of two that rename to one name at the same moment, one is rejected by that name', async () => {
  const made = await Promise.all([create(), create(), create()]);
  const answers = await Promise.all(
    made.map(({ id }) => send('PUT', `/configs/${id}`, { options: { name: 'Wanted' } })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  const rejected = answers.find(({ status }) => status === 409);
  expect(rejected?.json).toMatchObject({ message: 'A tree with the name Wanted already exists' });
});

test('a rename is shown by the summary and by every version, and absent fields stay', async () => {
  const { id } = await create();
  await done('POST', `/configs/${id}`, { version: 'v2', base: 'initial' });
  const before = await done<GoldenTree>('GET', `/configs/${id}`);
  const versions = await Promise.all(
    ['initial', 'v2'].map((v) => done<TreeVersion>('GET', `/configs/${id}/${v}`)),
  );
  expect(await done('PUT', `/configs/${id}`, { options: { name: 'Renamed' } })).toEqual({
    status: 'success',
    message: 'Updated Renamed',
  });
  const after = await done<GoldenTree>('GET', `/configs/${id}`);
  expect(after).toEqual({ ...before, name: 'Renamed', lastUpdated: after.lastUpdated });
  expect(Date.parse(after.lastUpdated)).toBeGreaterThan(Date.parse(before.lastUpdated));
  for (const old of versions) {
    const version = await done<TreeVersion>('GET', `/configs/${id}/${old.version}`);
    expect(version).toEqual({ ...old, name: 'Renamed', lastUpdated: version.lastUpdated });
    expect(Date.parse(version.lastUpdated ?? '')).toBeGreaterThan(Date.parse(old.lastUpdated ?? ''));
  }
});

test('lastUpdated grows with each of many writes, however fast they come', async () => {
  const { id } = await create();
  const seen: string[] = [];
  for (let round = 0; round < 10; round++) {
    await done('PUT', `/configs/${id}`, { options: {} });
    seen.push((await done<GoldenTree>('GET', `/configs/${id}`)).lastUpdated);
  }
  expect(seen).toEqual([...new Set(seen)].sort());
});

test('If-Match lets a write pass that knows the newest state, and no other', async () => {
  const { id } = await create();
  const { lastUpdated } = await done<GoldenTree>('GET', `/configs/${id}`);
  const options = { options: { gbac: { read: [], write: [] } } };
  expect((await send('PUT', `/configs/${id}`, options, { ifMatch: `"${lastUpdated}"` })).status).toBe(200);
  expect((await send('PUT', `/configs/${id}`, options, { ifMatch: lastUpdated })).status).toBe(409);
  expect((await send('DELETE', `/configs/${id}`, undefined, { ifMatch: `"${lastUpdated}"` })).status).toBe(
    409,
  );
  expect((await send('DELETE', `/configs/${id}`, undefined, { ifMatch: '*' })).status).toBe(200);
});

test.each([
  ['an unknown member', { options: { name: 'a', colour: 'b' } }, 'options.colour'],
  ['no options', {}, 'options'],
  ['a name that is no text', { options: { name: 5 } }, 'options.name'],
  ['a name of blanks', { options: { name: ' ' } }, 'options.name'],
  ['readers but no writers', { options: { gbac: { read: ['g'] } } }, 'options.gbac.write'],
])('PUT rejects %s', async (_, body, path) => {
  const { id } = await create();
  const answer = await send('PUT', `/configs/${id}`, body);
  expect(answer.status).toBe(400);
  expect(issuesOf(answer)[0]).toContain(path);
});

test.each(['GET', 'PUT', 'DELETE'])('%s of a missing tree is 404', async (method) => {
  const body = method === 'PUT' ? { options: {} } : undefined;
  const answer = await send(method, '/configs/65f0c1d2e3a4b5c6d7e8f901', body);
  expect(answer).toMatchObject({
    status: 404,
    json: { message: 'Golden configuration tree 65f0c1d2e3a4b5c6d7e8f901 does not exist' },
  });
});

test('the list is a bare array of all summaries, the search a page of those that match', async () => {
  await Promise.all(['Zoo north', 'Zoo south', 'Zoo east'].map(create));
  const all = await done<GoldenTree[]>('GET', '/configs');
  expect(all.length).toBe(await count(sql`from golden_trees`));
  expect(all.filter(({ name }) => name.startsWith('Zoo'))).toHaveLength(3);

  const page = { start: 1, limit: 1, sort: { name: -1 } };
  const expected = { total: 3, list: [{ name: 'Zoo north' }] };
  expect(await done('POST', '/search/configs', { name: 'zoo', options: page })).toMatchObject(expected);
  expect(await done('POST', '/search/configs', { query: { name: 'zoo', options: page } })).toMatchObject(
    expected,
  );
  const apart = { query: { name: 'zoo', deviceType: null }, options: page };
  expect(await done('POST', '/search/configs', apart)).toMatchObject(expected);
  const regex = { name: '^Zoo (n|s)', options: { regex: true, sort: { name: 1 } } };
  expect(await done('POST', '/search/configs', regex)).toMatchObject({
    total: 2,
    list: [{ name: 'Zoo north' }, { name: 'Zoo south' }],
  });
  expect(await done('POST', '/search/configs', { deviceType: 'nobody' })).toEqual({ list: [], total: 0 });
});

test.each([
  [
    'a broken expression',
    { name: '(', options: { regex: true } },
    'name: the expression is rejected at position 1',
  ],
  ['a sort by nothing known', { options: { sort: { colour: 1 } } }, 'options.sort.colour'],
  ['members twice', { name: 'a', query: { name: 'b' } }, 'query'],
  ['an unknown option', { options: { colour: 1 } }, 'options.colour'],
])('the search rejects %s', async (_, body, reported) => {
  const answer = await send('POST', '/search/configs', body);
  expect(answer.status).toBe(400);
  expect(issuesOf(answer).join()).toContain(reported);
});

test('deleting a tree deletes its versions and specs', async () => {
  const made = await create();
  await done('POST', `/configs/${made.id}/initial/base`, { name: 'access' });
  await done('POST', `/configs/${made.id}`, { version: 'v2', base: 'initial' });
  expect(
    await count(
      sql`from config_specs s join tree_versions v on v.id = version_id where tree_id = ${made.id}`,
    ),
  ).toBe(4);
  expect(await done('DELETE', `/configs/${made.id}`)).toEqual({
    status: 'success',
    message: 'Golden Config tree deleted',
  });
  expect(await count(sql`from tree_versions where tree_id = ${made.id}`)).toBe(0);
  expect(
    await count(
      sql`from config_specs where version_id is null or version_id not in (select id from tree_versions)`,
    ),
  ).toBe(0);
});

test('several trees are deleted by a body or by a query, and unknown ids count for nothing', async () => {
  const [a, b, c] = await Promise.all([create(), create(), create()]);
  const nobody = '65f0c1d2e3a4b5c6d7e8f901';
  expect(await done('DELETE', '/configs', { treeIds: [a.id, nobody] })).toEqual({
    status: 'success',
    deleted: 1,
  });
  expect(await done('DELETE', `/configs?treeIds=${b.id}&treeIds=${c.id}`)).toEqual({
    status: 'success',
    deleted: 2,
  });
  expect((await send('DELETE', '/configs', {})).status).toBe(400);
});

test('a typed caller gets the documents themselves', async () => {
  const made = await create();
  const { configurationManager } = await as('admin');
  expect(await configurationManager.getTree({ treeId: made.id })).toMatchObject({ name: made.name });
  expect(await configurationManager.getVersion({ treeId: made.id, version: 'initial' })).toEqual(made);
  const { list } = await configurationManager.searchTrees({ name: made.name });
  expect(list).toMatchObject([{ id: made.id }]);
});
