import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import type { Node, TreeVersion } from '#db/schemas/golden-config/golden-tree.ts';
import { walk } from '#server/domains/golden-config/trees/tree-nodes.ts';
import { openConfiguration } from '../../helpers/configuration.ts';
import { lawRuns } from '../../helpers/long.ts';

const { db, done, send } = await openConfiguration();

/** What a person may do to a tree; `at` picks one of the nodes that there are. */
type NodeStep = { kind: 'add' | 'rename'; at: number; name: string } | { kind: 'delete'; at: number };
type Step = NodeStep | { kind: 'copy'; at: number } | { kind: 'drop'; at: number };

const at = fc.nat({ max: 50 });
const name = fc.constantFrom('a', 'b', 'c', 'd e');
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('add' as const), at, name }), weight: 5 },
  { arbitrary: fc.record({ kind: fc.constant('rename' as const), at, name }), weight: 3 },
  { arbitrary: fc.record({ kind: fc.constant('delete' as const), at }), weight: 2 },
  { arbitrary: fc.record({ kind: fc.constantFrom('copy' as const, 'drop' as const), at }), weight: 1 },
);

/** The nodes of a tree as a model holds them: their paths. */
type Model = Set<string>;

const pick = (model: Model, at: number) => [...model].toSorted()[at % model.size] ?? 'base';
const pathTo = (id: string, path: string) =>
  `/configs/${id}/initial/${path.split('/').map(encodeURIComponent).join('/')}`;

/** Do a step to the model. @returns the status that the service owes us */
function imagine(model: Model, step: NodeStep, path: string): number {
  if (step.kind === 'add') {
    const child = `${path}/${step.name}`;
    if (model.has(child)) return 409;
    model.add(child);
    return 200;
  }
  if (path === 'base') return step.kind === 'delete' ? 400 : 0;
  const below = [...model].filter((one) => one === path || one.startsWith(`${path}/`));
  if (step.kind === 'rename') {
    const renamed = [...path.split('/').slice(0, -1), step.name].join('/');
    if (renamed !== path && model.has(renamed)) return 409;
    for (const one of below) model.delete(one);
    for (const one of below) model.add(renamed + one.slice(path.length));
    return 200;
  }
  for (const one of below) model.delete(one);
  return 200;
}

test('no order of adding, renaming, deleting and copying loses or doubles a node or a spec', async () => {
  let counter = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const { id } = await done<TreeVersion>('POST', '/configs', {
        name: `Tree ${counter++}`,
        deviceType: 'json',
      });
      const model: Model = new Set(['base']);
      const copies: string[] = [];
      for (const one of steps) {
        if (one.kind === 'copy') {
          const version = `copy ${copies.length} ${counter++}`;
          await done('POST', `/configs/${id}`, {
            version,
            base: copies[one.at % copies.length] ?? 'initial',
          });
          copies.push(version);
          continue;
        }
        if (one.kind === 'drop') {
          const gone = copies.splice(one.at % (copies.length || 1), 1)[0];
          if (gone !== undefined) await done('DELETE', `/configs/${id}/${encodeURIComponent(gone)}`);
          continue;
        }
        const path = pick(model, one.at);
        const owed = imagine(model, one, path);
        if (owed === 0) continue;
        const method = { add: 'POST', rename: 'PUT', delete: 'DELETE' }[one.kind];
        const body = one.kind === 'delete' ? undefined : { name: one.name };
        expect((await send(method, pathTo(id, path), body)).status).toBe(owed);
      }
      const { root } = await done<{ root: Node }>('GET', `/configs/${id}/initial`);
      expect([...walk(root)].map(({ path }) => path).toSorted()).toEqual([...model].toSorted());
      await assertOneSpecEach(id, 1 + copies.length);
    }),
    lawRuns(25),
  );
});

/** Each node owns exactly one spec, each spec belongs to exactly one node. */
async function assertOneSpecEach(treeId: string, versions: number) {
  const stored = await rows<{ doc: string; specs: string }>(
    db,
    sql`select v.doc::text as doc,
          (select json_agg(s.id)::text from config_specs s where s.version_id = v.id) as specs
        from tree_versions v where tree_id = ${treeId}`,
  );
  expect(stored).toHaveLength(versions);
  const all = new Set<string>();
  for (const { doc, specs } of stored) {
    const owned = JSON.parse(specs) as string[];
    const named = [...walk((JSON.parse(doc) as TreeVersion).root)].map(
      ({ node }) => node.attributes?.configId ?? '',
    );
    expect(owned.toSorted()).toEqual(named.toSorted());
    for (const id of owned) {
      expect(all.has(id)).toBe(false);
      all.add(id);
    }
  }
  const orphans = await rows<{ id: string }>(db, sql`select id from config_specs where version_id is null`);
  expect(orphans).toEqual([]);
}
