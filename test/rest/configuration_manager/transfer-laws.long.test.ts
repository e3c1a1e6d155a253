import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ImportedTreeVersion, Node } from '#db/schemas/golden-config/golden-tree.ts';
import { mapNodes } from '#server/domains/golden-config/trees/tree-nodes.ts';
import { openConfiguration } from '../../helpers/configuration.ts';
import { exportedVersion } from '../../helpers/documents/exported-trees.ts';
import { sentJson } from '../../helpers/json.ts';
import { lawRuns } from '../../helpers/long.ts';

const { done } = await openConfiguration();

type File = { data: ImportedTreeVersion[] };

async function importFile(file: File, newName?: string): Promise<string> {
  const { data } = await done<{ data: { treeId: string }[] }>('POST', '/import/goldenconfigs', {
    trees: [{ ...file, ...(newName !== undefined && { newName }) }],
  });
  return data[0]?.treeId ?? '';
}

const exportFile = (treeId: string) => done<File>('POST', '/export/goldenconfigs', { treeId });

/** What an import makes anew left out, and what it does not take along: ids, devices, device groups. */
function essence(file: File) {
  return file.data.map(({ id: _, _id, treeId, name, root, ...version }) => ({
    ...version,
    root: mapNodes(root, (node) => {
      const { configId, devices, deviceGroups, export: spec, ...attributes } = node.attributes ?? {};
      const { id, _id: specId, ...rules } = spec ?? {};
      return { ...node, attributes, rules };
    }),
  }));
}

/** Text that can be stored, and no name that JavaScript keeps for itself. */
const json = sentJson();

/** Members that nobody knows. */
const strange = fc.dictionary(
  fc.string({ unit: 'grapheme', maxLength: 8 }).map((name) => `x ${name}`),
  json,
  { maxKeys: 2, noNullPrototype: true },
);

const stamp = fc
  .date({ min: new Date('2001-01-01'), max: new Date('2025-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
const stamps = fc.record({
  created: stamp,
  createdBy: fc.string({ unit: 'grapheme' }),
  lastUpdated: stamp,
  lastUpdatedBy: fc.string({ unit: 'grapheme' }),
});
const text = fc.string({ unit: 'grapheme' });

const word = fc
  .tuple(strange, fc.record({ type: fc.constantFrom('literal', 'regex', 'variable'), value: text }))
  .map(([more, known]) => ({ ...more, ...known }));

/** A rule line with others below it, to a depth. */
const lineOf = (depth: number): fc.Arbitrary<object> =>
  fc
    .tuple(
      strange,
      fc.record({
        id: text,
        words: fc.array(word, { maxLength: 2 }),
        lines: depth === 0 ? fc.constant([]) : fc.array(lineOf(depth - 1), { maxLength: 2 }),
        evalMode: fc.constantFrom('required', 'disallowed', 'ignored', 'optional'),
        severity: fc.constantFrom('error', 'warning', 'info'),
      }),
    )
    .map(([more, known]) => ({ ...more, ...known }));

const rules = fc.record(
  { template: text, lines: fc.array(lineOf(2), { maxLength: 2 }), deviceType: fc.constant('cisco-ios') },
  { requiredKeys: ['template', 'lines'] },
);

const spec = fc.tuple(strange, stamps, rules).map(([more, made, one]) => ({ ...more, ...made, ...one }));

const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 10 })
  .filter((given) => !given.includes('/') && !['.', '..', 'devices'].includes(given));

/** A node with others below it, to a depth. */
const nodeOf = (depth: number): fc.Arbitrary<Node> =>
  fc
    .tuple(
      strange,
      strange,
      name,
      spec,
      fc.option(text, { nil: null }),
      depth === 0
        ? fc.constant([])
        : fc.uniqueArray(nodeOf(depth - 1), { maxLength: 3, selector: (child) => child.name }),
    )
    .map(([more, odd, called, rules, remediationWorkflow, children]) => ({
      ...more,
      name: called,
      attributes: { ...odd, remediationWorkflow, export: rules },
      children,
    })) as fc.Arbitrary<Node>;

const file = fc
  .uniqueArray(
    fc.tuple(
      strange,
      stamps,
      name,
      nodeOf(3),
      fc.dictionary(fc.constantFrom('a', 'b c', 'ntp'), json),
      fc.array(text),
    ),
    { minLength: 1, maxLength: 3, selector: ([, , version]) => version },
  )
  .map((versions) => ({
    data: versions.map(([more, made, version, root, variables, tags]) => ({
      ...more,
      ...made,
      version,
      root,
      variables,
      tags,
      gbac: { read: [], write: [] },
      name: 'Generated',
      deviceType: 'cisco-ios',
    })),
  }));

test('exporting an import returns the imported document, with unknown fields at every depth', async () => {
  let counter = 0;
  await fc.assert(
    fc.asyncProperty(file, async (given) => {
      const made = await exportFile(await importFile(given, `Tree ${counter++}`));
      expect(essence(made)).toEqual(essence(given));
      const again = await exportFile(await importFile(made, `Tree ${counter++}`));
      expect(essence(again)).toEqual(essence(given));
    }),
    lawRuns(60),
  );
});

test('an import that overwrites by its own export changes nothing but stamps', async () => {
  const first = await exportFile(
    await importFile({ data: [exportedVersion(), exportedVersion({ version: 'v2' })] }),
  );
  await done('POST', '/import/goldenconfigs', { trees: [{ ...first, overwrite: true }] });
  const second = await exportFile(first.data[0]?.id ?? '');
  const unstamped = (value: File) =>
    JSON.parse(JSON.stringify(value), (key, member) => (key.startsWith('lastUpdated') ? null : member));
  expect(unstamped(second)).toEqual(unstamped(first));
});

/** Beside the checkout, or one folder up when the checkout is a worktree. */
const folder = ['../../../../shared/data/exports/golden', '../../../../../shared/data/exports/golden']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find(existsSync);

if (!folder) {
  console.warn('real golden trees: absent (looked for ../shared/data/exports/golden)');
  test.skip('no real exports lie beside this checkout: only invented trees were imported', () => undefined);
}

describe.runIf(folder)('real exports', () => {
  const files = folder ? readdirSync(folder).filter((one) => one.endsWith('.json')) : [];

  test('the folder has exports', () => expect(files.length).toBeGreaterThan(0));

  test.each(files)('%s is imported and exported without loss', async (one) => {
    const given = JSON.parse(readFileSync(`${folder}/${one}`, 'utf8')) as File;
    const made = await exportFile(await importFile(given));
    expect(essence(made)).toEqual(essence(given));
  });
});
