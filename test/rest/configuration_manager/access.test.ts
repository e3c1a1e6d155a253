import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { newId } from '#db/ids.ts';
import type { GoldenTree, NodeDetail, TreeVersion } from '#db/schemas/golden-config/golden-tree.ts';
import { openConfiguration } from '../../helpers/configuration.ts';

const { db, done, groupOf, send } = await openConfiguration();

/** Two who hold the same roles, but only one is in the group. */
const member = { as: ['apiread', 'apiwrite'] as const };
const stranger = { as: ['apiread', 'apiwrite', 'support'] as const };

let group = '';
let tree: TreeVersion;
let node: NodeDetail;
let backupId = '';

beforeAll(async () => {
  group = await groupOf(member.as);
  await groupOf(stranger.as);
  tree = await done('POST', '/configs', { name: 'Guarded', deviceType: 'cisco-ios' });
  node = await done('GET', `/configs/${tree.id}/initial/base`);
  backupId = newId();
  await done('POST', '/import/backups', { backups: [{ id: backupId, name: 'guarded', rawConfig: 'x' }] });
  await done('POST', '/configurations/parser', { name: 'guarded', template: 'json' });
});

const guard = async (gbac: object) => {
  await done('PUT', `/configs/${tree.id}`, { options: { gbac } });
  await done('PUT', `/backups/${backupId}`, { gbac });
  await done('PUT', '/configurations/parser', { name: 'guarded', options: { gbac } });
};

/** Every request that reads something of the guarded documents. */
const reads = (): [string, string, unknown?][] => [
  ['GET', `/configs/${tree.id}`],
  ['GET', `/configs/${tree.id}/initial`],
  ['GET', `/configs/${tree.id}/initial/base`],
  ['GET', `/config_specs/${node.spec._id}`],
  ['POST', '/export/goldenconfigs', { treeId: tree.id }],
  ['GET', `/backups/${backupId}`],
];

/** Every request that writes something of them without changing it. */
const writes = (): [string, string, unknown?][] => [
  ['PUT', `/configs/${tree.id}`, { options: {} }],
  ['PUT', `/configs/${tree.id}/initial`, {}],
  ['DELETE', `/configs/variables/${tree.id}/initial`, { variables: [] }],
  ['PUT', `/configs/${tree.id}/initial/base`, {}],
  ['POST', `/configs/${tree.id}/initial/base/devices`, { devices: [] }],
  ['DELETE', `/configs/${tree.id}/initial/base/devices`, { devices: [] }],
  [
    'POST',
    '/configs/devices/groups',
    { treeId: tree.id, version: 'initial', nodePath: 'base', deviceGroups: [] },
  ],
  ['PUT', `/backups/${backupId}`, {}],
  ['PUT', '/configurations/parser', { name: 'guarded', options: {} }],
];

/** What each list shows of the guarded documents. */
async function listed(options: { as?: typeof member.as | typeof stranger.as }) {
  const trees = await done<GoldenTree[]>('GET', '/configs', undefined, options);
  const found = await done<{ total: number }>('POST', '/search/configs', { name: 'Guarded' }, options);
  const backups = await done<{ total: number }>('POST', '/backups', {}, options);
  const parser = await done<{ parser: unknown }>(
    'POST',
    '/configurations/parser/search',
    { filter: { name: 'guarded' } },
    options,
  );
  const parsers = await send('GET', '/configurations/parser?filter[name]=guarded', undefined, options);
  return [
    trees.length,
    found.total,
    backups.total,
    parser.parser === null ? 0 : 1,
    Number(parsers.headers['x-total-count']),
  ];
}

test('an empty list lets everyone with the role in', async () => {
  for (const [method, path, body] of [...reads(), ...writes()]) {
    expect((await send(method, path, body, stranger)).status, `${method} ${path}`).toBe(200);
  }
  expect(await listed(stranger)).toEqual([1, 1, 1, 1, 1]);
});

test('a caller without read access finds nothing: by id, in lists or in totals, through any endpoint', async () => {
  await guard({ read: [group], write: [group] });
  for (const [method, path, body] of [...reads(), ...writes()]) {
    expect((await send(method, path, body, stranger)).status, `${method} ${path}`).toBe(404);
    expect((await send(method, path, body, member)).status, `${method} ${path}`).toBe(200);
    expect((await send(method, path, body)).status, `${method} ${path}`).toBe(200);
  }
  expect(await listed(stranger)).toEqual([0, 0, 0, 0, 0]);
  expect(await listed(member)).toEqual([1, 1, 1, 1, 1]);
  expect(await listed({})).toEqual([1, 1, 1, 1, 1]);
});

test('a caller without read access deletes nothing and learns nothing of it', async () => {
  await guard({ read: [group], write: [group] });
  const none = { status: 'success', deleted: 0 };
  expect(await done('DELETE', '/configs', { treeIds: [tree.id] }, stranger)).toEqual(none);
  expect(await done('DELETE', '/backups', { backupIds: [backupId] }, stranger)).toEqual(none);
  expect((await send('DELETE', `/configs/${tree.id}`, undefined, stranger)).status).toBe(404);
});

test('a caller with read access alone gets 403 on writes', async () => {
  await guard({ write: [group] });
  for (const [method, path, body] of reads())
    expect((await send(method, path, body, stranger)).status).toBe(200);
  const deletes: [string, string, unknown?][] = [
    ['DELETE', `/configs/${tree.id}`],
    ['DELETE', '/configs', { treeIds: [tree.id] }],
    ['DELETE', '/backups', { backupIds: [backupId] }],
    ['DELETE', '/configurations/parser', { name: 'guarded' }],
  ];
  for (const [method, path, body] of [...writes(), ...deletes]) {
    const answer = await send(method, path, body, stranger);
    expect(answer, `${method} ${path}`).toMatchObject({ status: 403, json: { code: 'FORBIDDEN' } });
  }
  for (const [method, path, body] of writes())
    expect((await send(method, path, body, member)).status).toBe(200);
  expect(await done('GET', `/backups/${backupId}`)).toMatchObject({ rawConfig: 'x' });
});

test('an import overwrites only documents that the caller may write, and never widens an access list', async () => {
  await guard({ write: [group] });
  const file = await done<{ data: TreeVersion[] }>('POST', '/export/goldenconfigs', { treeId: tree.id });
  const open = {
    data: file.data.map((version) => ({ ...version, gbac: { read: [], write: [] } })),
    overwrite: true,
  };
  const body = { trees: [open] };
  expect((await send('POST', '/import/goldenconfigs', body, stranger)).status).toBe(403);
  await done('POST', '/import/goldenconfigs', body, member);
  expect(await done('GET', `/configs/${tree.id}`)).toMatchObject({ gbac: { write: [group] } });
  await guard({ read: [group], write: [group] });
  expect((await send('POST', '/import/goldenconfigs', body, stranger)).status).toBe(409);
});

test('a parser that the caller may not read cannot be named in a tree', async () => {
  await guard({ read: [group], write: [group] });
  const body = { name: 'Named', deviceType: 'guarded' };
  expect((await send('POST', '/configs', body, stranger)).status).toBe(400);
  const made = await done<TreeVersion>('POST', '/configs', body, member);
  await done('PUT', `/configs/${made.id}`, { options: { gbac: { read: [group], write: [group] } } });
  expect((await send('DELETE', '/configurations/parser', { name: 'guarded' }, member)).json).toMatchObject({
    message: 'Parser guarded is used by tree Named',
  });
  await done('PUT', '/configurations/parser', { name: 'guarded', options: { gbac: {} } });
  expect((await send('DELETE', '/configurations/parser', { name: 'guarded' }, stranger)).json).toMatchObject({
    message: 'Parser guarded is used by another tree',
  });
});

test('the audit trail lists the documents that a write touched', async () => {
  const reported = async (operation: string) => {
    const [row] = await rows<{ doc: string }>(
      db,
      sql`select doc::text as doc from audit where operation = ${`configurationManager.${operation}`}
          order by id desc limit 1`,
    );
    return JSON.parse(row?.doc ?? 'null') as { document: unknown; outcome: string };
  };
  const id = newId();
  await done('POST', '/import/backups', { backups: [{ id, name: 'told', rawConfig: 'x' }] });
  expect(await reported('importBackups')).toMatchObject({
    outcome: 'ok',
    document: { kind: 'backups', id, name: 'told' },
  });
  const file = await done<{ data: TreeVersion[] }>('POST', '/export/goldenconfigs', { treeId: tree.id });
  const { data } = await done<{ data: { treeId: string }[] }>('POST', '/import/goldenconfigs', {
    trees: [file],
  });
  expect(await reported('importTrees')).toMatchObject({
    document: { kind: 'golden_trees', id: data[0]?.treeId },
  });
  await done('PUT', `/configs/${data[0]?.treeId}/initial`, { variables: {} });
  expect(await reported('updateVersion')).toMatchObject({ document: { kind: 'tree_versions' } });
});
