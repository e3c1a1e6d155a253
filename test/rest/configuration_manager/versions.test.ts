import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { Spec } from '#db/schemas/golden-config/config-spec.ts';
import type { GoldenTree, TreeVersion } from '#db/schemas/golden-config/golden-tree.ts';
import { specIdsOf } from '#server/domains/golden-config/trees/tree-nodes.ts';
import { openConfiguration } from '../../helpers/configuration.ts';
import { exportedVersion } from '../../helpers/documents/exported-trees.ts';

const { count, done, send } = await openConfiguration();

let counter = 0;
async function importTree() {
  const tree = exportedVersion({ name: `Tree ${counter++}` });
  const { data } = await done<{ data: { treeId: string }[] }>('POST', '/import/goldenconfigs', {
    trees: [{ data: [tree] }],
  });
  return data[0]?.treeId ?? '';
}
const versionsOf = async (id: string) => (await done<GoldenTree>('GET', `/configs/${id}`)).versions;

test('a new version is a deep copy with specs of its own and the same devices', async () => {
  const id = await importTree();
  await done('POST', `/configs/${id}/initial/base/access/devices`, { devices: ['edge-1'] });
  const base = await done<TreeVersion>('GET', `/configs/${id}/initial`);
  const copy = await done<TreeVersion>('POST', `/configs/${id}`, { version: 'v2', base: 'initial' });
  expect(await done('GET', `/configs/${id}/v2`)).toEqual(copy);
  expect(copy).toMatchObject({
    version: 'v2',
    variables: base.variables,
    origin: { file: 'edge.json' },
    root: { children: [{ name: 'access', attributes: { devices: ['edge-1'] } }, { name: 'core' }] },
  });
  const [old, fresh] = [specIdsOf(base.root), specIdsOf(copy.root)];
  expect(fresh).toHaveLength(old.length);
  expect(new Set([...old, ...fresh]).size).toBe(old.length * 2);
  for (const [at, specId] of fresh.entries()) {
    const spec = await done<Spec>('GET', `/config_specs/${specId}`);
    const original = await done<Spec>('GET', `/config_specs/${old[at]}`);
    expect(spec).toMatchObject({
      id: specId,
      _id: specId,
      template: original.template,
      lines: original.lines,
    });
  }
  expect(await versionsOf(id)).toEqual(['initial', 'v2']);
});

test('an existing name of a version, and a missing base, are rejected', async () => {
  const id = await importTree();
  expect((await send('POST', `/configs/${id}`, { version: 'initial', base: 'initial' })).status).toBe(409);
  const answer = await send('POST', `/configs/${id}`, { version: 'v2', base: 'nowhere' });
  expect(answer).toMatchObject({ status: 404, json: { message: 'Version nowhere does not exist' } });
  expect((await send('POST', `/configs/${id}`, { version: '..', base: 'initial' })).status).toBe(400);
});

test('names with blanks, slashes and marks are reached percent-encoded', async () => {
  const id = await importTree();
  for (const version of ['draft v2', 'release/1', '50% @a:b', 'devices']) {
    await done('POST', `/configs/${id}`, { version, base: 'initial' });
    const path = `/configs/${id}/${encodeURIComponent(version)}`;
    expect(await done('GET', path)).toMatchObject({ version });
    expect(await done('GET', `${path}/base/access`)).toMatchObject({ path: 'base/access' });
  }
});

test('a rename keeps the place among the versions; variables replace all', async () => {
  const id = await importTree();
  await done('POST', `/configs/${id}`, { version: 'v2', base: 'initial' });
  const before = await done<TreeVersion>('GET', `/configs/${id}/initial`);
  await done('PUT', `/configs/${id}/initial`, { name: 'first', variables: null });
  await done('PUT', `/configs/${id}/first`, { variables: { only: [1, { two: null }] }, name: null });
  const after = await done<TreeVersion>('GET', `/configs/${id}/first`);
  expect(after).toEqual({
    ...before,
    version: 'first',
    variables: { only: [1, { two: null }] },
    lastUpdated: after.lastUpdated,
    lastUpdatedBy: after.lastUpdatedBy,
  });
  expect(await versionsOf(id)).toEqual(['first', 'v2']);
  expect((await send('GET', `/configs/${id}/initial`)).status).toBe(404);
  expect((await send('PUT', `/configs/${id}/first`, { name: 'v2' })).status).toBe(409);
  expect((await send('PUT', `/configs/${id}/first`, { name: 'first' })).status).toBe(200);
  expect((await send('PUT', `/configs/${id}/first`, { variables: [] })).status).toBe(400);
});

test('variables are removed by name, by a body or by a query', async () => {
  const id = await importTree();
  await done('PUT', `/configs/${id}/initial`, { variables: { a: 1, b: 2, c: 3, d: 4 } });
  await done('DELETE', `/configs/variables/${id}/initial`, { variables: ['a', 'nobody'] });
  await done('DELETE', `/configs/variables/${id}/initial?variables=b&variables=c`);
  expect(await done('GET', `/configs/${id}/initial`)).toMatchObject({ variables: { d: 4 } });
});

test('a version is deleted with its specs, but never the last one', async () => {
  const id = await importTree();
  await done('POST', `/configs/${id}`, { version: 'v2', base: 'initial' });
  const { root } = await done<TreeVersion>('GET', `/configs/${id}/v2`);
  await done('DELETE', `/configs/${id}/v2`);
  expect(await versionsOf(id)).toEqual(['initial']);
  expect((await send('GET', `/config_specs/${root.attributes?.configId}`)).status).toBe(404);
  const answer = await send('DELETE', `/configs/${id}/initial`);
  expect(answer).toMatchObject({
    status: 409,
    json: { message: expect.stringContaining('is the only version') },
  });
});

test('If-Match is compared with the version', async () => {
  const id = await importTree();
  const { lastUpdated } = await done<TreeVersion>('GET', `/configs/${id}/initial`);
  const first = await send(
    'PUT',
    `/configs/${id}/initial`,
    { variables: {} },
    { ifMatch: `"${lastUpdated}"` },
  );
  expect(first.status).toBe(200);
  const second = await send(
    'PUT',
    `/configs/${id}/initial`,
    { variables: {} },
    { ifMatch: `"${lastUpdated}"` },
  );
  expect(second.status).toBe(409);
});

test('writers of one tree wait for each other: no version is lost, no stamp comes twice', async () => {
  const id = await importTree();
  const names = Array.from({ length: 8 }, (_, at) => `v${at}`);
  await Promise.all(names.map((version) => done('POST', `/configs/${id}`, { version, base: 'initial' })));
  expect((await versionsOf(id)).toSorted()).toEqual(['initial', ...names].toSorted());
  expect(await count(sql`from tree_versions where tree_id = ${id}`)).toBe(9);
  expect(
    await count(sql`from config_specs s join tree_versions v on v.id = version_id where tree_id = ${id}`),
  ).toBe(9 * 4);
});

test('a missing version and a missing tree are distinguished', async () => {
  const id = await importTree();
  const nobody = '65f0c1d2e3a4b5c6d7e8f901';
  expect((await send('GET', `/configs/${id}/v9`)).json).toMatchObject({
    message: 'Version v9 does not exist',
  });
  expect((await send('GET', `/configs/${nobody}/v9`)).json).toMatchObject({
    message: `Golden configuration tree ${nobody} does not exist`,
  });
});
