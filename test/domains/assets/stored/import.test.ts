import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import type { ImportItem } from '#server/domains/assets/stored/import.service.ts';
import type { Asset } from '#server/domains/assets/stored/kinds.ts';
import { tableOf } from '#server/domains/assets/stored/references.service.ts';
import { importAssets } from '#server/domains/workflow/definitions/import-assets.service.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { cpuTime } from '../../../helpers/cpu-time.ts';
import {
  asAdmin,
  asset,
  childJob,
  EVERY_KIND,
  objectId,
  task,
  uuid,
  workflow,
} from '../../../helpers/documents/assets.ts';
import { openTestDatabase } from '../../../helpers/postgres.ts';

const database = await openTestDatabase();

type Options = Partial<Parameters<typeof importAssets>[2]>;
const run = (items: ImportItem[], options: Options = {}) =>
  asAdmin(database, (ctx) => importAssets(ctx, items, { projectId: null, onTaken: 'rename', ...options }));

const stored = async (kind: ComponentType, id: string) => {
  const [row] = await rows<{ doc: string }>(
    database.db,
    sql`select doc::text as doc from ${tableOf(kind)} where id = ${id}`,
  );
  return row && (JSON.parse(row.doc) as Asset);
};

type Tasks = Record<string, { variables: { incoming: Record<string, unknown> } }>;
const incomingOf = (doc: Asset | undefined, id: string) => {
  const tasks = (doc?.tasks ?? {}) as Tasks;
  return tasks[id]?.variables.incoming;
};

describe('an import of assets', () => {
  test('keeps ids, unknown properties, and stamps except those of MOP templates', async () => {
    for (const kind of EVERY_KIND) {
      const isMop = kind.startsWith('mop');
      const name = `Kept ${kind}`;
      const id = isMop ? name : kind === 'workflow' ? uuid() : objectId();
      const created = isMop ? 1767225600000 : '2026-01-01T00:00:00.000Z';
      const doc = asset(kind, name, { _id: id, created, lastUpdated: created, oddity: { kept: [1, null] } });
      const [one] = await run([{ kind, doc }]);
      expect(one).toMatchObject({ id, fromId: id, name, fromName: name, outcome: 'created' });
      const found = await stored(kind, id);
      // Stamps of MOP templates come from the service, whatever a file says (contract/lifecycle#7).
      const stamp = isMop && expect.toSatisfy((time) => Number(time) > Number(created));
      expect(found).toMatchObject({ ...doc, _id: id, ...(stamp && { created: stamp, lastUpdated: stamp }) });
      expect(found).toEqual(one?.doc);
    }
  });

  test('replaces timestamps that name no past moment, and ids of no known form', async () => {
    const later = new Date(Date.now() + 3_600_000).toISOString();
    for (const created of [later, 'yesterday', 12, null, 'x'.repeat(9000)]) {
      const [one] = await run([
        {
          kind: 'transformation',
          doc: asset('transformation', 'Odd', { _id: '../x', created, lastUpdated: created }),
        },
      ]);
      expect(one?.id).toMatch(/^[0-9a-f]{24}$/);
      expect(Date.parse(String(one?.doc.created))).toBeLessThanOrEqual(Date.now());
      expect(Date.parse(String(one?.doc.lastUpdated))).toBeLessThanOrEqual(Date.now());
    }
    const [mop] = await run([
      { kind: 'mopCommandTemplate', doc: asset('mopCommandTemplate', 'Odd', { created: 'yesterday' }) },
    ]);
    expect(mop?.doc.created).toBeTypeOf('number');
  });

  test('numbers names that are taken, within the set as well, and assigns new ids for taken ones', async () => {
    for (const kind of EVERY_KIND) {
      const id = kind === 'workflow' ? uuid() : objectId();
      const doc = asset(kind, `Twice ${kind}`, { _id: id });
      const first = await run([
        { kind, doc },
        { kind, doc },
      ]);
      expect(first.map(({ name }) => name)).toEqual([doc.name, `${doc.name} (1)`]);
      expect(first.map(({ outcome }) => outcome)).toEqual(['created', 'renamed']);
      expect(new Set(first.map((one) => one.id)).size).toBe(2);
      const [again] = await run([{ kind, doc }]);
      expect(again?.name).toBe(`${doc.name} (2)`);
    }
  });

  test('templates of the same name may exist in two groups', async () => {
    const doc = asset('template', 'Port');
    const made = await run([
      { kind: 'template', doc },
      { kind: 'template', doc: { ...doc, group: 'Core ports' } },
    ]);
    expect(made.map(({ name }) => name)).toEqual(['Port', 'Port']);
  });

  test('lets names inside the set follow new names and ids', async () => {
    const [child, form, builder] = [uuid(), objectId(), objectId()];
    const set = (): ImportItem[] => [
      {
        kind: 'workflow',
        doc: workflow('Parent', [
          childJob('Child', { precheck: { task: 'static', value: 'Check' } }),
          task('transformation', { tr_id: builder }),
          task('ShowJSONForm', { formId: form }),
          task('RunCommandTemplate', { template: 'Check' }),
          task('renderJinjaTemplate', { name: 'Config' }),
          childJob('Elsewhere'),
        ]),
      },
      { kind: 'workflow', doc: workflow('Child', [], { _id: child }) },
      { kind: 'transformation', doc: asset('transformation', 'Builder', { _id: builder }) },
      { kind: 'jsonForm', doc: asset('jsonForm', 'Form', { id: form }) },
      { kind: 'mopCommandTemplate', doc: asset('mopCommandTemplate', 'Check') },
      { kind: 'template', doc: asset('template', 'Config') },
    ];
    await run(set());
    const made = await run(set());
    const [parent] = made;
    const made2 = await stored('workflow', parent?.id ?? '');
    expect(parent?.name).toBe('Parent (1)');
    expect(incomingOf(made2, '1')?.workflow).toBe('Child (1)');
    expect(incomingOf(made2, '2')?.tr_id).toBe(made[2]?.id);
    expect(made[2]?.id).not.toBe(builder);
    expect(incomingOf(made2, '3')?.formId).toBe(made[3]?.id);
    expect(incomingOf(made2, '4')?.template).toBe('Check (1)');
    expect(incomingOf(made2, '5')?.name).toBe('Config (1)');
    expect(incomingOf(made2, '6')?.workflow).toBe('Elsewhere');
    // A plain text that happens to be a name is no name.
    expect(incomingOf(made2, '1')?.variables).toEqual({ precheck: { task: 'static', value: 'Check' } });
  });

  test('rejects taken names, names each, and stores nothing', async () => {
    const item = (name: string): ImportItem => ({ kind: 'jsonForm', doc: asset('jsonForm', name) });
    await run([item('There'), item('There too')]);
    const failure = await run([item('New'), item('There'), item('There too')], { onTaken: 'reject' }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(ServiceError);
    expect((failure as ServiceError).code).toBe('CONFLICT');
    expect((failure as ServiceError).issues?.map(({ path }) => path)).toEqual([[1], [2]]);
    const found = await rows(database.db, sql`select from forms where name = 'New'`);
    expect(found).toHaveLength(0);
  });

  test('overwrites a document of the same id or name, and keeps its id and its creation time', async () => {
    const id = objectId();
    const old = asset('transformation', 'Over', { _id: id, created: '2026-01-01T00:00:00.000Z', gone: true });
    await run([{ kind: 'transformation', doc: old }]);
    const [byName] = await run(
      [{ kind: 'transformation', doc: asset('transformation', 'Over', { _id: objectId(), fresh: 1 }) }],
      { onTaken: 'overwrite' },
    );
    expect(byName).toMatchObject({ id, outcome: 'overwritten' });
    expect(await stored('transformation', id)).toMatchObject({ fresh: 1, created: old.created });
    expect(await stored('transformation', id)).not.toHaveProperty('gone');
    const [byId] = await run(
      [{ kind: 'transformation', doc: asset('transformation', 'Over anew', { _id: id }) }],
      { onTaken: 'overwrite' },
    );
    expect(byId).toMatchObject({ id, name: 'Over anew', outcome: 'overwritten' });
  });

  test('references follow a document that an import renames', async () => {
    const id = uuid();
    await run([
      { kind: 'workflow', doc: workflow('Callee', [], { _id: id }) },
      { kind: 'workflow', doc: workflow('Caller', [childJob('Callee')]) },
    ]);
    await run([{ kind: 'workflow', doc: workflow('Callee v2', [], { _id: id }) }], { onTaken: 'overwrite' });
    const [caller] = await rows<{ doc: string }>(
      database.db,
      sql`select doc::text as doc from workflows where name = 'Caller'`,
    );
    expect(incomingOf(JSON.parse(caller?.doc ?? '{}'), '1')?.workflow).toBe('Callee v2');
  });

  test('sixty documents of 570 KB take well under a second', async () => {
    const doc = (at: number) =>
      workflow(
        `Large ${at}`,
        Array.from({ length: 20 }, (_, n) => childJob(`Large ${(at + n) % 60}`, { text: 'x'.repeat(300) })),
      );
    const items = Array.from({ length: 60 }, (_, at): ImportItem => ({ kind: 'workflow', doc: doc(at) }));
    expect(JSON.stringify(items).length).toBeGreaterThan(500_000);
    await run(items);
    const start = cpuTime();
    const made = await run(items);
    expect(cpuTime() - start).toBeLessThan(3000);
    expect(made.every(({ outcome }) => outcome === 'renamed')).toBe(true);
  });
});
