import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import type { ComponentType, ExportedProject, Project, ProjectFolder } from '#db/schemas/assets/project.ts';
import { tableOf } from '#server/domains/assets/stored/references.service.ts';
import {
  asset,
  childJob,
  EVERY_KIND,
  objectId,
  STORED,
  task,
  uuid,
  workflow,
} from '../../helpers/documents/assets.ts';
import { toldOf } from '../../helpers/documents/exported-projects.ts';
import { openStudio } from '../../helpers/documents/projects.ts';
import { lawRuns } from '../../helpers/long.ts';

const { create, done, exported, get, send, store, db } = await openStudio();

const STRANGER = ['apiread', 'apiwrite'] as const;

/** Names that could be taken for something else. */
const name = fc.oneof(
  fc.constantFrom('Check', 'Check (1)', 'a/b', '@x: y', '$var.job.x', '{"a":1}', 'ünïcode ✓', "it's", '%_\\'),
  fc
    .string({ minLength: 1, maxLength: 12 })
    // A name is a member's name here too, and requests refuse that one (server/kernel/validation/input-sanity.ts).
    .filter((text) => text.trim() !== '' && !text.includes('\u0000') && text !== '__proto__'),
);

type Shape = { kind: ComponentType; name: string; names: number[]; folder: string[] };

const shape: fc.Arbitrary<Shape> = fc.record({
  kind: fc.constantFrom(...EVERY_KIND),
  name,
  names: fc.array(fc.nat(20), { maxLength: 3 }),
  folder: fc.array(fc.constantFrom('A', 'B', 'C'), { maxLength: 3 }),
});

/** The task by which a workflow names an asset. */
function naming(kind: ComponentType, full: string, id: string) {
  switch (kind) {
    case 'workflow':
      return childJob(full, { also: { task: 'static', value: full } });
    case 'template':
      return task('renderJinjaTemplate', { name: full });
    case 'transformation':
      return task('transformation', { tr_id: id });
    case 'jsonForm':
      return task('ShowJSONForm', { formId: id });
    case 'mopCommandTemplate':
      return task('RunCommandTemplate', { template: full });
    case 'mopAnalyticTemplate':
      return task('runAnalyticsTemplate', { analytic_template_name: full });
  }
}

/** A project file of these shapes: workflows name whatever their numbers hit. */
function fileOf(shapes: readonly Shape[]): ExportedProject {
  const _id = objectId();
  const parts = shapes.map((one, at) => ({
    ...one,
    iid: at * 3,
    id: one.kind.startsWith('mop') ? `@${_id}: ${one.name}` : one.kind === 'workflow' ? uuid() : objectId(),
  }));
  const stamps = { created: '2026-01-01T00:00:00.000Z', lastUpdated: '2026-01-02T00:00:00.000Z' };
  const components = parts.map(({ kind, name: called, names, iid, id, folder }) => {
    const tasks = names.flatMap((at) => {
      const other = parts[at % parts.length];
      return other ? [naming(other.kind, `@${_id}: ${other.name}`, other.id)] : [];
    });
    const ids =
      kind === 'jsonForm' ? { id } : kind === 'template' || kind === 'transformation' ? { _id: id } : {};
    const document =
      kind === 'workflow'
        ? workflow(called, tasks, STORED)
        : asset(kind, called, { ...ids, odd: { [called]: [null] } });
    return { iid, type: kind, reference: id, folder: `/${folder.join('/')}`, document };
  });
  return {
    _id,
    name: `Generated ${_id}`,
    description: '',
    ...stamps,
    folders: treeOf(components),
    components,
  };
}

/** The tree that these paths describe, folders first met first. */
function treeOf(components: readonly { iid: number; folder: string }[]): ProjectFolder[] {
  const top: ProjectFolder[] = [];
  for (const { iid, folder } of components) {
    let here = top;
    for (const part of folder.split('/').filter((one) => one !== '')) {
      let found = here.find((entry) => entry.nodeType === 'folder' && entry.name === part);
      if (found?.nodeType !== 'folder') {
        found = { nodeType: 'folder', name: part, children: [] };
        here.push(found);
      }
      found.children ??= [];
      here = found.children;
    }
    here.push({ nodeType: 'component', iid });
  }
  return top;
}

/** Names count once a kind: two of the same would be numbered. */
const shapes = fc.uniqueArray(shape, { maxLength: 9, selector: (one) => `${one.kind} ${one.name}` });

test('an exported project equals the imported one, also under new ids', async () => {
  await fc.assert(
    fc.asyncProperty(shapes, async (given) => {
      const file = fileOf(given);
      const { data } = await done('POST', '/import', { project: file });
      expect(data._id).toBe(file._id);
      const out = await exported(data._id);
      expect(toldOf(out)).toEqual(toldOf(file));
      expect(out.components?.map(({ reference }) => reference)).toEqual(
        file.components?.map(({ reference }) => reference),
      );
      // Somebody else does not see the first: every id is taken.
      const copy = (await done('POST', '/import', { project: out }, STRANGER)).data;
      expect(copy._id).not.toBe(file._id);
      const again = await exported(copy._id, STRANGER);
      expect(toldOf({ ...again, name: file.name })).toEqual(toldOf(file));
    }),
    lawRuns(25),
  );
});

/** Every number in the tree, in its order. */
const shown = (entries: readonly ProjectFolder[]): number[] =>
  entries.flatMap((entry) => (entry.nodeType === 'component' ? [entry.iid] : shown(entry.children ?? [])));

const count = async (kind: ComponentType) => {
  const [row] = await rows<{ n: number }>(db, sql`select count(*)::int as n from ${tableOf(kind)}`);
  return row?.n ?? 0;
};
const total = async () => (await Promise.all(EVERY_KIND.map(count))).reduce((sum, one) => sum + one, 0);

/** A project lists exactly what it owns, each once, under a number of its own, at one place of its tree. */
async function assertWhole({ _id }: Project): Promise<Project> {
  const project = await get(_id);
  const components = project.components ?? [];
  const owned: string[] = [];
  for (const kind of EVERY_KIND) {
    const found = await rows<{ id: string; name: string; doc: string }>(
      db,
      sql`select id, name, doc::text as doc from ${tableOf(kind)} where project_id = ${_id}`,
    );
    for (const one of found) {
      owned.push(`${kind} ${one.id}`);
      expect(one.name).toMatch(new RegExp(`^@${_id}: `));
      expect(JSON.parse(one.doc).namespace).toEqual({ type: 'project', _id, name: project.name });
    }
  }
  expect(components.map(({ type, reference }) => `${type} ${reference}`).sort()).toEqual(owned.sort());
  const iids = components.map(({ iid }) => iid);
  expect(new Set(iids).size).toBe(iids.length);
  expect(Math.max(0, ...iids)).toBeLessThanOrEqual(project.componentIidIndex ?? 0);
  if (project.folders) expect(shown(project.folders).sort()).toEqual([...iids].sort());
  return project;
}

type Step =
  | { do: 'add'; mode: 'copy' | 'move'; kind: ComponentType; folder: string }
  | { do: 'remove'; mode: 'delete' | 'move'; at: number }
  | { do: 'copy'; at: number }
  | { do: 'place'; at: number; folder: string };

const folder = fc.constantFrom('/', '/A', '/A/B', 'C/');
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constant('add' as const),
      mode: fc.constantFrom('copy' as const, 'move' as const),
      kind: fc.constantFrom(...EVERY_KIND),
      folder,
    }),
    fc.record({
      do: fc.constant('remove' as const),
      mode: fc.constantFrom('delete' as const, 'move' as const),
      at: fc.nat(10),
    }),
    fc.record({ do: fc.constant('copy' as const), at: fc.nat(10) }),
    fc.record({ do: fc.constant('place' as const), at: fc.nat(10), folder }),
  ),
  { maxLength: 10 },
);

test('no order of adding, moving, copying, placing and removing loses or doubles an asset, or breaks a number', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (given) => {
      run += 1;
      let project = await create(`Life ${run} ${objectId()}`);
      const used = new Set<number>();
      for (const step of given) {
        const path = `/${project._id}/components`;
        const at =
          'at' in step ? project.components?.[step.at % (project.components.length || 1)] : undefined;
        let gain = 0;
        let before = await total();
        if (step.do === 'add') {
          const reference = await store(step.kind, asset(step.kind, `Life ${objectId()}`));
          before += 1;
          const components = [{ type: step.kind, reference, folder: step.folder }];
          await done('POST', `${path}/add`, { components, mode: step.mode });
          gain = step.mode === 'copy' ? 1 : 0;
        } else if (at && step.do === 'remove') {
          await done('DELETE', `${path}/${at.iid}`, { options: { mode: step.mode } });
          gain = step.mode === 'delete' ? -1 : 0;
        } else if (at && step.do === 'copy') {
          const { type, reference } = at;
          await done('POST', `${path}/add`, { components: [{ type, reference }] });
          gain = 1;
        } else if (at && step.do === 'place') {
          const components = (project.components ?? []).map(({ iid }) =>
            iid === at.iid ? { iid, folder: step.folder } : { iid },
          );
          await done('PATCH', `/${project._id}`, { components });
        }
        expect(await total()).toBe(before + gain);
        const known = new Set(project.components?.map(({ iid }) => iid));
        project = await assertWhole(project);
        for (const { iid } of project.components ?? []) {
          // A number that is new now was never another's.
          if (!known.has(iid)) expect(used.has(iid)).toBe(false);
          used.add(iid);
        }
      }
      const rest = await total();
      const owned = project.components?.length ?? 0;
      expect((await send('DELETE', `/${project._id}`)).status).toBe(200);
      expect(await total()).toBe(rest - owned);
    }),
    lawRuns(20),
  );
});
