import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { type Database, inTransaction } from '#db/client.ts';
import type {
  GoldenTree,
  ImportedTreeVersion,
  NodeDetail,
  TreeVersion,
} from '#db/schemas/golden-config/golden-tree.ts';
import { importTrees as importStored } from '#server/domains/golden-config/trees/transfer.service.ts';
import { walk } from '#server/domains/golden-config/trees/tree-nodes.ts';
import { issuesOf, openConfiguration } from '../../helpers/configuration.ts';
import { exportedNode, exportedVersion } from '../../helpers/documents/exported-trees.ts';
import { isLong } from '../../helpers/long.ts';

const { callerWith, count, db, done, platform, send } = await openConfiguration();

type Imported = { message: string; data: { treeId: string; name: string; versions: string[] }[] };
const importTrees = (...trees: unknown[]) =>
  done<Imported>('POST', '/import/goldenconfigs', { trees, options: {} });
const exportTree = async (treeId: string | undefined) =>
  (await done<{ status: string; data: TreeVersion[] }>('POST', '/export/goldenconfigs', { treeId })).data;

let counter = 0;
const version = (change: Partial<ImportedTreeVersion> = {}) =>
  exportedVersion({ name: `Tree ${counter++}`, ...change });

test('an import reports the outcome for each tree, an export contains every version with its specs', async () => {
  const [one, other] = [version(), version()];
  const two = { ...one, version: 'v2' };
  const { message, data } = await importTrees({ data: [one, two] }, { data: [other], newName: 'Chosen' });
  expect(message).toBe('2 golden configurations imported');
  expect(data).toMatchObject([
    { name: one.name, versions: ['initial', 'v2'] },
    { name: 'Chosen', versions: ['initial'] },
  ]);
  expect((await importTrees({ data: [version()] })).message).toBe('1 golden configuration imported');

  const versions = await exportTree(data[0]?.treeId);
  expect(versions.map((v) => v.version)).toEqual(['initial', 'v2']);
  const specs = versions.flatMap(({ root }) => [...walk(root)].map(({ node }) => node.attributes?.export));
  expect(new Set(specs.map((spec) => spec?._id)).size).toBe(8);
  for (const spec of specs) {
    expect(spec).toMatchObject({
      lines: [{ words: [{ value: 'hostname' }, {}] }],
      reviewed: { by: 'nobody' },
    });
  }
  expect(specs[1]?.template).toBe('hostname access\n');
});

test('an imported tree is returned by its tree, version, node and specification endpoints', async () => {
  const given = version({ description: 'from elsewhere', tags: ['lab'] });
  const { data } = await importTrees({ data: [given] });
  const path = `/configs/${data[0]?.treeId}`;
  expect(await done('GET', path)).toMatchObject({
    name: given.name,
    description: 'from elsewhere',
    tags: ['lab'],
    created: given.created,
    lastUpdated: given.lastUpdated,
  });
  expect(await done('GET', `${path}/initial`)).toMatchObject({
    id: data[0]?.treeId,
    variables: given.variables,
    origin: { file: 'edge.json' },
    createdBy: given.createdBy,
  });
  const node = await done<NodeDetail>('GET', `${path}/initial/base/access/north`);
  expect(node).toMatchObject({
    colour: 'teal',
    attributes: { pinned: true },
    spec: { reviewed: { by: 'nobody' } },
  });
  expect(node.effective).toHaveLength(3);
});

test('a spec that came without a device type is exported without one, and read by that of its version', async () => {
  const given = version();
  const { deviceType: _, ...bare } = given.root.attributes?.export ?? {};
  Object.assign(given.root.attributes ?? {}, { export: bare });
  const { data } = await importTrees({ data: [given] });
  const { treeId } = data[0] ?? {};
  const specsOf = async () => {
    const [out] = await exportTree(treeId);
    return out ? [...walk(out.root)].map(({ node }) => node.attributes?.export) : [];
  };
  const [own, ...others] = await specsOf();
  expect(own).not.toHaveProperty('deviceType');
  expect(others.map((spec) => spec?.deviceType)).toEqual(['cisco-ios', 'cisco-ios', 'cisco-ios']);

  const node = await done<NodeDetail>('GET', `/configs/${treeId}/initial/base`);
  expect(node.spec).toMatchObject({ reviewed: { by: 'nobody' }, deviceType: 'cisco-ios' });
  const path = `/config_specs/${own?._id}`;
  expect(await done('GET', path)).toMatchObject({ deviceType: 'cisco-ios' });
  const { config } = await done<{ config: string }>('POST', '/translate/config_spec', { specId: own?._id });
  expect(config).toContain('hostname');
  await done('PUT', path, { data: { template: 'ntp server 192.0.2.9\n' } });
  expect((await specsOf())[0]).toMatchObject({ template: 'ntp server 192.0.2.9\n' });
  expect((await specsOf())[0]).not.toHaveProperty('deviceType');
});

test('devices and device groups are not imported', async () => {
  const given = version();
  Object.assign(given.root.attributes ?? {}, {
    devices: ['edge-1'],
    deviceGroups: [{ id: '65f0c1d2e3a4b5c6d7e8f901', date: '2025-05-06T07:08:09.010Z' }],
  });
  const { data } = await importTrees({ data: [given] });
  const [out] = await exportTree(data[0]?.treeId);
  expect(out?.root.attributes).toMatchObject({ devices: [], deviceGroups: [] });
});

test('a taken name gets a number, also within one call', async () => {
  const given = version();
  const { data } = await importTrees({ data: [given] }, { data: [given] });
  expect(data.map(({ name }) => name)).toEqual([given.name, `${given.name} (1)`]);
  const again = await importTrees({ data: [given] });
  expect(again.data[0]?.name).toBe(`${given.name} (2)`);
  expect(await exportTree(again.data[0]?.treeId)).toMatchObject([{ name: `${given.name} (2)` }]);
});

test('imports of one name at the same moment get a number each', async () => {
  const given = version();
  const all = await Promise.all(Array.from({ length: 6 }, () => importTrees({ data: [given] })));
  const names = all.map(({ data }) => data[0]?.name).toSorted();
  expect(names).toEqual([given.name, ...[1, 2, 3, 4, 5].map((n) => `${given.name} (${n})`)]);
});

test.each(['overwrite', 'overWrite'])(
  '%s keeps ids and devices, replaces the rest, drops what is missing',
  async (flag) => {
    const given = version();
    const first = await importTrees({ data: [given, { ...given, version: 'gone' }] });
    const path = `/configs/${first.data[0]?.treeId}`;
    await done('POST', `${path}/initial/base/access/devices`, { devices: ['edge-1'] });
    await done('POST', `${path}/initial/base/core/devices`, { devices: ['core-1'] });
    const before = await done<TreeVersion>('GET', `${path}/initial`);
    const summary = await done<GoldenTree>('GET', path);

    const change = {
      ...given,
      deviceType: 'juniper-junos',
      variables: { only: 1 },
      root: exportedNode('base', [exportedNode('access', [], 'replaced\n'), exportedNode('new')]),
    };
    const second = await importTrees({ data: [change, { ...change, version: 'v2' }], [flag]: true });
    expect(second.data).toEqual([{ treeId: summary.id, name: given.name, versions: ['initial', 'v2'] }]);

    const after = await done<TreeVersion>('GET', `${path}/initial`);
    expect(after).toMatchObject({ _id: before._id, variables: { only: 1 }, deviceType: 'juniper-junos' });
    expect(Date.parse(after.lastUpdated ?? '')).toBeGreaterThan(Date.parse(before.lastUpdated ?? ''));
    const access = await done<NodeDetail>('GET', `${path}/initial/base/access`);
    expect(access.attributes).toMatchObject({
      devices: ['edge-1'],
      configId: before.root.children?.[0]?.attributes?.configId,
    });
    expect(access.spec.template).toBe('replaced\n');
    expect(after.root.children?.map(({ name }) => name)).toEqual(['access', 'new']);
    expect((await send('GET', `${path}/gone`)).status).toBe(404);
    expect(
      await count(
        sql`from config_specs s join tree_versions v on v.id = version_id where tree_id = ${summary.id}`,
      ),
    ).toBe(6);
    expect(await count(sql`from config_specs where id = ${access.spec._id} and rev = 2`)).toBe(1);
    expect(await done('GET', path)).toMatchObject({ created: summary.created, versions: ['initial', 'v2'] });
  },
);

test('overwriting a missing tree creates it', async () => {
  const given = version();
  const { data } = await importTrees({ data: [given], overwrite: true });
  expect(data).toMatchObject([{ name: given.name }]);
});

test('all mistakes are reported together, and nothing is stored', async () => {
  const before = await count(sql`from golden_trees`);
  const bad = version({
    deviceType: 'nobody-os',
    root: exportedNode('base', [exportedNode('a'), exportedNode('a'), exportedNode('x/y')]),
  });
  const answer = await send('POST', '/import/goldenconfigs', {
    trees: [{ data: [version()] }, { data: [bad, { ...bad, name: 'Other' }] }],
  });
  expect(answer.status).toBe(400);
  expect(issuesOf(answer)).toEqual([
    'trees.1.data.0.root.children.1.name: is also the name of a sibling',
    expect.stringMatching(/^trees\.1\.data\.0\.root\.children\.2\.name: must not contain a slash/),
    'trees.1.data.1.name: differs from the tree name in the first version',
    'trees.1.data.1.version: is also the name of another version',
    'trees.1.data.1.root.children.1.name: is also the name of a sibling',
    expect.stringMatching(/^trees\.1\.data\.1\.root\.children\.2\.name/),
    'trees.1.data.0.deviceType: no config parser is named "nobody-os"',
    'trees.1.data.1.deviceType: no config parser is named "nobody-os"',
  ]);
  expect(await count(sql`from golden_trees`)).toBe(before);
});

test.each([
  ['an unknown member', { trees: [], colour: 1 }],
  ['an unknown option', { trees: [], options: { force: true } }],
  ['an element without versions', { trees: [{ data: [] }] }],
  ['a version without a root', { trees: [{ data: [{ name: 'a', version: 'b', deviceType: 'json' }] }] }],
])('an import rejects %s', async (_, body) => {
  expect((await send('POST', '/import/goldenconfigs', body)).status).toBe(400);
});

test('an unchanged export can be an element of an import', async () => {
  const { data } = await importTrees({ data: [version()] });
  const file = await done<object>('POST', '/export/goldenconfigs', { treeId: data[0]?.treeId });
  expect((await importTrees(file)).data).toHaveLength(1);
  expect((await send('POST', '/export/goldenconfigs', { treeId: '65f0c1d2e3a4b5c6d7e8f901' })).status).toBe(
    404,
  );
});

const large = () => {
  const leaves = (from: number) => Array.from({ length: 31 }, (_, n) => exportedNode(`node ${from}-${n}`));
  const sites = Array.from({ length: 31 }, (_, n) => exportedNode(`site ${n}`, leaves(n)));
  return version({ root: exportedNode('base', sites) });
};

test.skipIf(!isLong)('a tree of 993 nodes is returned completely', async () => {
  const { data } = await importTrees({ data: [large()] });
  const [out] = await exportTree(data[0]?.treeId);
  expect([...walk(out?.root ?? { name: '' })]).toHaveLength(993);
});

test.skipIf(!isLong).each([
  ['importing', false],
  ['overwriting', true],
])('%s an import runs a fixed number of statements, however many nodes and trees', async (_, overwrite) => {
  const trees = Array.from({ length: 5 }, () => ({ data: [large()], overwrite }));
  if (overwrite) await importTrees(...trees);
  let statements = 0;
  const counting = (tx: Database): Database =>
    new Proxy(tx, {
      get(target, name) {
        if (['execute', 'insert', 'update', 'delete', 'select'].includes(String(name))) statements++;
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  const { caller } = await callerWith('admin');
  await inTransaction(db, (tx) =>
    importStored(
      { db: counting(tx), principal: caller, platform, request: { ifMatch: null }, answer: { headers: {} } },
      trees,
    ),
  );
  // The specs, 5 MB of them, travel in batches of 250; the rest is one statement for all trees (their parsers among
  // them), but for an overwritten summary each.
  expect(statements).toBeLessThanOrEqual(5 * 4 + 5 + (overwrite ? 10 : 0));
});
