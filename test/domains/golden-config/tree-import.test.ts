import { expect, test } from 'vitest';
import type { ImportedTreeVersion, Node, TreeImport } from '#db/schemas/golden-config/golden-tree.ts';
import {
  exportedVersion as exported,
  importedTree,
} from '#server/domains/golden-config/trees/tree-import.ts';
import { parserIssues, readElements } from '#server/domains/golden-config/trees/tree-import-check.ts';
import { walk } from '#server/domains/golden-config/trees/tree-nodes.ts';
import { exportedNode, exportedVersion } from '../../helpers/documents/exported-trees.ts';

const now = new Date('2026-02-03T04:05:06.789Z');
let counter = 0;
const maker = { account: 'me', now, newId: () => `id ${counter++}` };

const imported = (...versions: ImportedTreeVersion[]) => {
  const { elements, issues } = readElements([{ data: versions }]);
  expect(issues).toEqual([]);
  const [element] = elements;
  if (!element) throw new Error('no element');
  return { element, ...importedTree(element, element.name, maker) };
};

const wrong = (...trees: TreeImport[]) => readElements(trees).issues.map(({ path }) => path.join('.'));

test('a bare export becomes whole documents: ids, stamps, lists, one spec a node', () => {
  const bare = { name: 'Edge', version: 'initial', deviceType: 'cisco-ios', root: { name: 'base' } };
  const { tree, versions } = imported(bare);
  const [first] = versions;
  const [spec] = first?.specs ?? [];
  const stamps = {
    created: now.toISOString(),
    lastUpdated: now.toISOString(),
    createdBy: 'me',
    lastUpdatedBy: 'me',
  };
  expect(tree).toEqual({
    id: tree.id,
    _id: tree.id,
    name: 'Edge',
    deviceType: 'cisco-ios',
    description: '',
    versions: ['initial'],
    gbac: { read: [], write: [] },
    tags: [],
    ...stamps,
  });
  expect(first?.doc).toEqual({
    ...bare,
    id: tree.id,
    treeId: tree.id,
    _id: first?.doc._id,
    variables: {},
    gbac: { read: [], write: [] },
    tags: [],
    root: {
      name: 'base',
      attributes: { devices: [], deviceGroups: [], remediationWorkflow: null, configId: spec?._id },
      children: [],
    },
    ...stamps,
  });
  expect(spec).toEqual({
    id: spec?._id,
    _id: spec?._id,
    template: '',
    lines: [],
    ...stamps,
  });
});

test.each<{ where: string; attributes: Node['attributes']; template: string }>([
  { where: 'its export', attributes: { export: { template: 'a' }, template: 'b' }, template: 'a' },
  { where: 'the node when it has no export', attributes: { template: 'b' }, template: 'b' },
])('the template of a spec is that of $where', ({ attributes, template }) => {
  const { versions } = imported(exportedVersion({ root: { name: 'base', attributes } }));
  expect(versions[0]?.specs[0]).toMatchObject({ template, lines: [] });
});

test('devices and groups do not come along, unknown members do', () => {
  const root = exportedNode('base');
  const { versions } = imported(
    exportedVersion({
      root: { ...root, attributes: { ...root.attributes, devices: ['edge-1'], deviceGroups: [{ id: 'g' }] } },
    }),
  );
  expect(versions[0]?.doc.root).toMatchObject({
    colour: 'teal',
    attributes: { devices: [], deviceGroups: [], pinned: true },
  });
  expect(versions[0]?.specs[0]).toMatchObject({ reviewed: { by: 'nobody' } });
  expect(versions[0]?.doc).toMatchObject({ origin: { file: 'edge.json' } });
});

test('the access list is that of the version that has one, in the tree and in every version', () => {
  const gbac = { read: ['g'], write: ['g'] };
  const { tree, versions } = imported(exportedVersion(), exportedVersion({ version: 'v2', gbac }));
  expect(tree.gbac).toEqual(gbac);
  expect(versions.map(({ doc }) => doc.gbac)).toEqual([gbac, gbac]);
});

test('overwriting keeps ids, devices and the access list, and every stamp grows', () => {
  const gbac = { read: ['g'], write: ['g'] };
  const before = imported(exportedVersion({ gbac }), exportedVersion({ version: 'gone', gbac }));
  const [old] = before.versions;
  if (!old) throw new Error('no version');
  const access = old.doc.root.children?.[0];
  if (access?.attributes) access.attributes.devices = ['edge-1'];
  const { elements } = readElements([
    {
      data: [
        exportedVersion({ root: exportedNode('base', [exportedNode('access'), exportedNode('new')]) }),
        exportedVersion({ version: 'v2' }),
      ],
      overwrite: true,
    },
  ]);
  const [element] = elements;
  if (!element) throw new Error('no element');
  const after = importedTree(element, element.name, maker, {
    tree: before.tree,
    versions: before.versions.map(({ doc }) => doc),
    stamps: new Map(old.specs.map(({ _id, lastUpdated }) => [_id, lastUpdated])),
  });
  const [kept, fresh] = after.versions;
  const places = new Map([...walk(old.doc.root)].map(({ path, node }) => [path, node.attributes?.configId]));

  expect(after.tree).toMatchObject({ id: before.tree.id, versions: ['initial', 'v2'], gbac });
  expect(Date.parse(after.tree.lastUpdated)).toBeGreaterThan(Date.parse(before.tree.lastUpdated));
  expect(kept?.doc._id).toBe(old.doc._id);
  expect(kept?.doc.lastUpdatedBy).toBe('me');
  expect(fresh?.doc._id).not.toBe(old.doc._id);
  expect(kept?.doc.root.attributes?.configId).toBe(places.get('base'));
  expect(kept?.doc.root.children?.[0]?.attributes).toMatchObject({
    configId: places.get('base/access'),
    devices: ['edge-1'],
  });
  expect([...places.values()]).not.toContain(kept?.doc.root.children?.[1]?.attributes?.configId);
  expect(kept?.specs[0]?.lastUpdated).toBe(now.toISOString());
});

test('an export carries each spec in its node, and nothing else changes', () => {
  const { versions } = imported(exportedVersion());
  const [version] = versions;
  if (!version) throw new Error('no version');
  const out = exported(version.doc, new Map(version.specs.map((spec) => [spec._id, spec])));
  for (const { node } of walk(out.root)) {
    expect(node.attributes?.export).toMatchObject({
      _id: node.attributes?.configId,
      template: expect.any(String),
    });
  }
  expect(exported(version.doc, new Map()).root).toEqual(version.doc.root);
});

test('all mistakes are reported together, each by its path', () => {
  const issues = wrong(
    {
      data: [
        exportedVersion({
          root: exportedNode('a/b', [exportedNode('x'), exportedNode('x'), exportedNode('devices')]),
        }),
        exportedVersion({ name: 'Other', deviceType: 'json', gbac: { read: ['g'] } }),
        exportedVersion({ version: '..', gbac: { write: ['h'] } }),
      ],
      overwrite: true,
      overWrite: false,
    },
    { data: [exportedVersion({ name: '' })] },
    { data: [exportedVersion()], newName: 'x'.repeat(256) },
    { data: [exportedVersion()], overWrite: true },
  );
  expect(issues).toEqual([
    'trees.0.overWrite',
    'trees.0.data.0.root.name',
    'trees.0.data.0.root.children.1.name',
    'trees.0.data.0.root.children.2.name',
    'trees.0.data.1.name',
    'trees.0.data.1.deviceType',
    'trees.0.data.1.version',
    'trees.0.data.1.gbac.write',
    'trees.0.data.2.version',
    'trees.0.data.2.gbac',
    'trees.1.data.0.name',
    'trees.2.newName',
    'trees.3.overwrite',
  ]);
});

test('access lists that say the same in another order agree', () => {
  const one = exportedVersion({ gbac: { read: ['g', 'h'], write: ['g', 'h'] } });
  const other = exportedVersion({ version: 'v2', gbac: { write: ['h', 'g'], read: ['h', 'g', 'g'] } });
  expect(wrong({ data: [one, other] })).toEqual([]);
});

test('an unknown parser is reported for each version that names it', () => {
  const { elements } = readElements([
    { data: [exportedVersion(), exportedVersion({ version: 'v2' })] },
    { data: [exportedVersion({ deviceType: 'nobody-os' })] },
  ]);
  const issues = parserIssues(elements, new Set(['cisco-ios']));
  expect(issues.map(({ path }) => path.join('.'))).toEqual(['trees.1.data.0.deviceType']);
  expect(parserIssues(elements, new Set())).toHaveLength(3);
});
