import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { ConfigParser } from '#db/schemas/golden-config/config-parser.ts';
import type { GoldenTree, NodeDetail, TreeVersion } from '#db/schemas/golden-config/golden-tree.ts';
import { BUILT_IN_PARSERS } from '#server/domains/golden-config/parsers/built-in-parsers.ts';
import { seedParsers } from '#server/domains/golden-config/parsers/parser-import.service.ts';
import { issuesOf, openConfiguration } from '../../helpers/configuration.ts';

const { as, count, db, done, groupOf, send } = await openConfiguration();

const PATH = '/configurations/parser';
const namesAt = async (query: string) =>
  (await done<ConfigParser[]>('GET', `${PATH}${query}`)).map(({ name }) => name);

let counter = 0;
async function create(change: object = {}): Promise<ConfigParser & { _id: string }> {
  const body = { name: `parser ${counter++}`, template: 'cisco-ios', ...change };
  const { parser } = await done<{ parser: ConfigParser & { _id: string } }>('POST', PATH, body);
  return parser;
}
const read = async (name: string) => {
  const { parser } = await done<{ parser: ConfigParser | null }>('POST', `${PATH}/search`, {
    filter: { name },
  });
  return parser;
};

test('the built-in parsers exist, read-only, with rules of their own', async () => {
  const answer = await send('GET', PATH);
  const parsers = answer.json as ConfigParser[];
  expect(answer.headers['x-total-count']).toBe(String(parsers.length));
  for (const name of [
    'cisco-ios',
    'cisco-nx',
    'juniper-junos',
    'arista-eos',
    'f5-bigip',
    'json',
    'nokia-sros',
  ]) {
    const parser = parsers.find((one) => one.name === name);
    expect(parser).toMatchObject({ template: name, builtin: true, gbac: { read: [], write: [] } });
    expect(parser?._id).toBe(parser?.id);
    expect(parser?.lexRules).toEqual(BUILT_IN_PARSERS.get(name));
  }
  for (const [method, body] of [
    ['PUT', { name: 'json', options: {} }],
    ['DELETE', { name: 'json' }],
  ] as const) {
    expect(await send(method, PATH, body)).toMatchObject({ status: 403, json: { code: 'FORBIDDEN' } });
  }
});

test('seeding again changes nothing; a changed rule is updated; a user’s parser stays', async () => {
  const before = await done('GET', PATH);
  await seedParsers(db);
  expect(await done('GET', PATH)).toEqual(before);
  await db.execute(sql`update parsers set doc = jsonb_set(doc, '{lexRules}', '[]') where name = 'json'`);
  await db.execute(
    sql`update parsers set doc = doc || '{"builtin": false, "lexRules": []}' where name = 'vyatta-vyos'`,
  );
  await seedParsers(db);
  expect((await read('json'))?.lexRules).toEqual(BUILT_IN_PARSERS.get('json'));
  expect((await read('vyatta-vyos'))?.lexRules).toEqual([]);
});

test('the list filters by a part of the name, pages and counts all that match', async () => {
  expect(await namesAt('?filter[name]=JUNOS')).toEqual(['juniper-junos']);
  expect(await namesAt('?filter%5Bname%5D=cisco-ios&sort%5Bname%5D=-1')).toEqual([
    'cisco-ios-xr',
    'cisco-ios',
  ]);
  expect(await namesAt('?options[filter][name]=junos')).toEqual(['juniper-junos']);
  const page = await send('GET', `${PATH}?filter[name]=cisco&sort[name]=1&start=1&limit=2`);
  expect((page.json as ConfigParser[]).map(({ name }) => name)).toEqual(['cisco-asa', 'cisco-ios']);
  expect(Number(page.headers['x-total-count'])).toBe(
    await count(sql`from parsers where name like '%cisco%'`),
  );
  expect(await namesAt('?limit=5000')).toHaveLength(await count(sql`from parsers`));
});

test('a filter is literal unless regex is true', async () => {
  expect(await namesAt('?filter[name]=^cisco-ios$')).toEqual([]);
  expect(await namesAt('?regex=true&filter[name]=^cisco-ios$')).toEqual(['cisco-ios']);
  expect(await namesAt('?regex=false&filter[name]=cisco-ios-xr')).toEqual(['cisco-ios-xr']);
});

test('sort.date is the last update, and the field given first counts first', async () => {
  const [one, other] = [await create({ name: 'sorted b' }), await create({ name: 'sorted a' })];
  await done('PUT', PATH, { id: one._id, options: {} });
  const names = [one.name, other.name];
  expect(await namesAt('?filter[name]=sorted&sort[date]=-1')).toEqual(names);
  expect(await namesAt('?filter[name]=sorted&sort[date]=1&sort[name]=-1')).toEqual(names.toReversed());
  expect(await namesAt('?filter[name]=sorted&sort[name]=-1&sort[date]=1')).toEqual(names);
});

test.each([
  ['regex=maybe', 'regex'],
  ['start=-1', 'start'],
  ['limit=0', 'limit'],
  ['sort[date]=3', 'sort.date'],
  ['sort[template]=1', 'sort.template'],
  ['filter[template]=a', 'filter.template'],
  ['colour=1', 'colour'],
  ['regex=true&filter[name]=(', 'position 1'],
])('the list rejects %s', async (query, reported) => {
  const answer = await send('GET', `${PATH}?${query}`);
  expect(answer.status).toBe(400);
  expect(issuesOf(answer).join()).toContain(reported);
});

test.each([
  '(a+)+$',
  '(.*)*x',
  'a{1000}{1000}',
  '(?=a)',
  '\\1',
  '((((((((((((((((((((((((((((((((((((((((((',
])('no expression keeps the list busy: %s', async (expression) => {
  const started = Date.now();
  const { status } = await send('GET', `${PATH}?regex=true&filter[name]=${encodeURIComponent(expression)}`);
  expect([200, 400]).toContain(status);
  expect(Date.now() - started).toBeLessThan(2000);
});

test('a parser without rules gets those of its template; with rules it keeps its own', async () => {
  const plain = await create({ template: 'juniper-junos', lexRules: null });
  expect(plain).toMatchObject({
    builtin: false,
    template: 'juniper-junos',
    created: expect.stringMatching(/Z$/),
  });
  expect(plain.lexRules).toEqual(BUILT_IN_PARSERS.get('juniper-junos'));
  const group = await groupOf(['support']);
  const own = await create({ lexRules: [['\\S+', 'word']], gbac: { write: [group] } });
  expect(own).toMatchObject({ lexRules: [['\\S+', 'word']], gbac: { read: [], write: [group] } });
  expect(await read(own.name)).toEqual(own);
});

test.each<[string, object, string[]]>([
  ['an unknown template', { template: 'nobody-os' }, ['template: must be the name of a built-in parser']],
  [
    'a template that is no built-in',
    { template: 'constructor' },
    ['template: must be the name of a built-in parser'],
  ],
  ['a token that there is not', { lexRules: [['a', 'noise']] }, ['lexRules.0.1']],
  [
    'expressions that are wrong',
    {
      lexRules: [
        ['a', 'word'],
        ['(', 'word'],
        ['\\1', 'word'],
      ],
    },
    ['lexRules.1.0: ', 'lexRules.2.0: '],
  ],
  ['readers but no writers', { gbac: { read: ['g'] } }, ['gbac.write']],
])('a parser with %s is rejected', async (_, change, reported) => {
  const answer = await send('POST', PATH, { name: 'refused', template: 'json', ...change });
  expect(answer.status).toBe(400);
  for (const [at, part] of reported.entries()) expect(issuesOf(answer)[at]).toContain(part);
});

test('a taken name is rejected, also of two at the same moment', async () => {
  expect((await send('POST', PATH, { name: 'json', template: 'json' })).json).toMatchObject({
    code: 'CONFLICT',
    message: 'A parser with the name json already exists',
  });
  const tries = Array.from({ length: 4 }, () => send('POST', PATH, { name: 'raced', template: 'json' }));
  expect((await Promise.all(tries)).map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  const { name } = await create();
  expect((await send('PUT', PATH, { name, options: { name: 'raced' } })).status).toBe(409);
});

test('a parser is looked up exactly, and those that resemble it are listed', async () => {
  const search = (body: object) =>
    done<{ parser: ConfigParser | null; list: ConfigParser[]; total: number }>(
      'POST',
      `${PATH}/search`,
      body,
    );
  const found = await search({ filter: { name: 'cisco-ios' }, options: { limit: 1, sort: { name: -1 } } });
  expect(found).toMatchObject({ parser: { name: 'cisco-ios' }, list: [{ name: 'cisco-ios-xr' }], total: 2 });
  const byId = await search({ filter: { id: found.parser?._id } });
  expect(byId).toMatchObject({ parser: { name: 'cisco-ios' }, list: [{ name: 'cisco-ios' }], total: 1 });
  expect(await search({ filter: { name: 'nobody' } })).toEqual({ parser: null, list: [], total: 0 });
  expect((await search({})).parser).toBeNull();
});

test('an update keeps absent fields and increases the timestamp', async () => {
  const parser = await create();
  await done('PUT', PATH, { name: parser.name, options: { lexRules: [['\\d+', 'word']], template: 'json' } });
  const group = await groupOf(['support']);
  await done('PUT', PATH, { id: parser._id, options: { gbac: { write: [group] } } });
  const after = await read(parser.name);
  expect(after).toEqual({
    ...parser,
    template: 'json',
    lexRules: [['\\d+', 'word']],
    gbac: { read: [], write: [group] },
    updated: after?.updated,
  });
  expect(Date.parse(after?.updated ?? '')).toBeGreaterThan(Date.parse(parser.updated ?? ''));
  const stale = await send(
    'PUT',
    PATH,
    { name: parser.name, options: {} },
    { ifMatch: `"${parser.updated}"` },
  );
  expect(stale.status).toBe(409);
  expect((await send('PUT', PATH, { name: 'a', id: 'b', options: {} })).status).toBe(400);
  expect((await send('PUT', PATH, { options: {} })).status).toBe(400);
  expect((await send('PUT', PATH, { name: 'nobody', options: {} })).json).toMatchObject({
    message: 'Config parser nobody does not exist',
  });
});

test('the trees, versions and specs that use a parser follow its new name', async () => {
  const parser = await create();
  const name = `${parser.name} renamed`;
  const tree = await done<TreeVersion>('POST', '/configs', { name: 'Follower', deviceType: parser.name });
  const other = await done<TreeVersion>('POST', '/configs', { name: 'Bystander', deviceType: 'json' });
  await done('PUT', PATH, { name: parser.name, options: { name } });
  const [summary, version, node] = [
    await done<GoldenTree>('GET', `/configs/${tree.id}`),
    await done<TreeVersion>('GET', `/configs/${tree.id}/initial`),
    await done<NodeDetail>('GET', `/configs/${tree.id}/initial/base`),
  ];
  for (const one of [summary, version, node.spec]) {
    expect(one.deviceType).toBe(name);
    expect(Date.parse(one.lastUpdated ?? '')).toBeGreaterThan(Date.parse(tree.lastUpdated ?? ''));
  }
  expect(await done('GET', `/configs/${other.id}/initial`)).toEqual(other);
});

test('a parser that a tree uses is not deleted, and the tree is named', async () => {
  const [used, free] = [await create(), await create()];
  const tree = await done<TreeVersion>('POST', '/configs', { name: 'User', deviceType: used.name });
  expect(await send('DELETE', PATH, { name: used.name })).toMatchObject({
    status: 409,
    json: { message: `Parser ${used.name} is used by tree User` },
  });
  const nobody = '65f0c1d2e3a4b5c6d7e8f901';
  expect(
    await done('DELETE', '/configurations/parsers', { parserIds: [used._id, free._id, nobody] }),
  ).toEqual({ status: 'conflict', deleted: 1, conflicts: [{ id: used._id, usedBy: ['tree User'] }] });
  await done('DELETE', `/configs/${tree.id}`);
  expect(await done('DELETE', `/configurations/parsers?parserIds=${used._id}`)).toEqual({
    status: 'success',
    deleted: 1,
  });
  expect((await send('DELETE', `${PATH}?name=${encodeURIComponent(used.name)}`)).status).toBe(404);
});

test('a tree that is created while its parser is deleted is never without its parser', async () => {
  for (let round = 0; round < 8; round++) {
    const { name } = await create();
    const [made, gone] = await Promise.all([
      send('POST', '/configs', { name: `Made ${name}`, deviceType: name }),
      send('DELETE', PATH, { name }),
    ]);
    expect([made.status, gone.status]).toEqual(made.status === 200 ? [200, 409] : [400, 200]);
  }
  expect(await count(sql`from golden_trees where device_type not in (select name from parsers)`)).toBe(0);
});

test('an import keeps free names and ids, numbers taken names, replaces taken ids, and skips built-in parsers', async () => {
  const taken = await create({ name: 'taken' });
  const json = await read('json');
  const id = '65f0c1d2e3a4b5c6d7e8f9ab';
  const made = { template: 'json', created: '2025-01-01T00:00:00.000Z', owner: { team: 'x' } };
  const answer = await done<{ message: string; data: { id: string; name: string }[] }>(
    'POST',
    '/import/parsers',
    {
      parsers: [
        { ...made, _id: id, name: 'fresh' },
        { ...taken, builtin: true },
        { ...made, name: 'taken' },
        json,
      ],
    },
  );
  expect(answer).toMatchObject({
    status: 'success',
    message: 'Imported 4 parsers',
    data: [
      { id, name: 'fresh' },
      { name: 'taken (1)' },
      { name: 'taken (2)' },
      { id: json?._id, name: 'json' },
    ],
  });
  expect(answer.data[1]?.id).not.toBe(taken._id);
  expect(await read('fresh')).toEqual({
    ...made,
    id,
    _id: id,
    name: 'fresh',
    lexRules: BUILT_IN_PARSERS.get('json'),
    gbac: { read: [], write: [] },
    updated: expect.any(String),
    builtin: false,
  });
  expect((await read('taken (1)'))?.builtin).toBe(false);
});

test('an import of parsers reports all mistakes together, and stores nothing', async () => {
  const before = await count(sql`from parsers`);
  const answer = await send('POST', '/import/parsers', {
    parsers: [
      { name: 'good', template: 'json' },
      { name: '', template: 'nobody-os', lexRules: [['(', 'word']], gbac: { read: ['g'] } },
      { name: 'no template' },
    ],
  });
  expect(answer.status).toBe(400);
  expect(issuesOf(answer).map((reported) => reported.split(':')[0])).toEqual([
    'parsers.1.name',
    'parsers.1.template',
    'parsers.1.lexRules.0.0',
    'parsers.1.gbac.write',
    'parsers.2.template',
  ]);
  expect(await count(sql`from parsers`)).toBe(before);
});

test('a typed caller lists parsers as values', async () => {
  const { configurationManager } = await as('apiread');
  const found = await configurationManager.listParsers({ options: { filter: { name: 'junos' } } });
  expect(found).toMatchObject([{ name: 'juniper-junos' }]);
});
