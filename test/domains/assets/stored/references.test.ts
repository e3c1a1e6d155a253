import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import {
  getAsset,
  insertAsset,
  namesTaken,
  removeAssets,
  replaceAsset,
  takenNames,
} from '#server/domains/assets/stored/assets.service.ts';
import type { Asset } from '#server/domains/assets/stored/kinds.ts';
import { tableOf, usersOf } from '#server/domains/assets/stored/references.service.ts';
import { referencesIn, withRewrittenReferences } from '#server/domains/assets/stored/references.ts';
import { insertProject } from '#server/domains/studio/projects/projects.service.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import {
  asAdmin,
  asset,
  childJob,
  objectId,
  task,
  uuid,
  workflow,
} from '../../../helpers/documents/assets.ts';
import { openTestDatabase } from '../../../helpers/postgres.ts';

const database = await openTestDatabase();

async function store(kind: ComponentType, doc: Asset, projectId: string | null = null): Promise<string> {
  const id = kind.startsWith('mop') ? doc.name : kind === 'workflow' ? uuid() : objectId();
  await asAdmin(database, (ctx) => insertAsset(ctx, kind, id, doc, { projectId }));
  return id;
}

const change = (kind: ComponentType, id: string, next: (doc: Asset) => Asset) =>
  asAdmin(database, async (ctx) => {
    const stored = await getAsset(ctx, kind, id, { lock: true });
    return replaceAsset(ctx, kind, stored, next(stored.doc));
  });

const rename = (kind: ComponentType, id: string, name: string) =>
  change(kind, id, (doc) => ({ ...doc, name }));

const read = (kind: ComponentType, id: string) =>
  asAdmin(database, async (ctx) => (await getAsset(ctx, kind, id)).doc);

const drop = (kind: ComponentType, id: string) =>
  asAdmin(database, async (ctx) => removeAssets(ctx, kind, [await getAsset(ctx, kind, id)]));

const rejection = async (run: Promise<unknown>): Promise<ServiceError> => {
  const error = await run.catch((thrown: unknown) => thrown);
  if (!(error instanceof ServiceError)) throw new Error(`not refused: ${error}`);
  return error;
};

type Tasks = Record<string, { variables: { incoming: Record<string, unknown> } }>;
const incomingOf = (doc: Asset, id: string) => ((doc.tasks ?? {}) as Tasks)[id]?.variables.incoming;

const users = async (kind: ComponentType, id: string) =>
  (await usersOf(database.db, [{ kind, id }])).map(({ kind: by, name }) => `${by} ${name}`);

describe('references of a document', () => {
  const scope = `@${objectId()}: `;

  test('are the known fields of tasks, error handlers, and every project-scoped name', () => {
    const doc = workflow(
      'W',
      [
        childJob('Child', { deep: [{ value: `${scope}Deep` }] }),
        task('ShowJSONForm', { formId: 'form' }),
        task('childJob', { workflow: '$var.job.name' }),
        task('childJob', { workflow: { task: 'job', value: 'x' } }),
        task('unheardOf', { workflow: 'Child', name: `${scope}Named` }),
        task('constructor', { name: 'Object', length: 'x' }),
      ],
      {
        errorHandler: { type: 'workflow', name: 'Handler' },
        note: `${scope}Noted`,
        text: `see ${scope}Noted`,
      },
    );
    expect(
      referencesIn('workflow', doc).map(({ kind, value, path }) => [kind, value, path.join('.')]),
    ).toEqual([
      ['workflow', 'Child', 'tasks.1.variables.incoming.workflow'],
      [null, `${scope}Deep`, 'tasks.1.variables.incoming.variables.deep.0.value'],
      ['jsonForm', 'form', 'tasks.2.variables.incoming.formId'],
      [null, `${scope}Named`, 'tasks.5.variables.incoming.name'],
      ['workflow', 'Handler', 'errorHandler.name'],
      [null, `${scope}Noted`, 'note'],
    ]);
    // Its own name is none of them.
    expect(referencesIn('template', asset('template', `${scope}Own`))).toEqual([]);
    expect(referencesIn('template', asset('template', 'T', { data: `${scope}X`.padEnd(5000, 'x') }))).toEqual(
      [],
    );
  });

  test('are rewritten in a copy that shares unchanged parts with the input', () => {
    const doc = workflow('W', [childJob('Child'), childJob('Other')]);
    const before = structuredClone(doc);
    const next = withRewrittenReferences('workflow', doc, ({ value }) =>
      value === 'Child' ? 'New' : undefined,
    );
    expect(doc).toEqual(before);
    expect(incomingOf(next, '1')?.workflow).toBe('New');
    expect((next.tasks as Tasks)['2']).toBe((doc.tasks as Tasks)['2']);
    expect(withRewrittenReferences('workflow', doc, () => undefined)).toBe(doc);
  });
});

describe('a rename', () => {
  test('is followed by every document that names the asset, itself included', async () => {
    const id = await store('workflow', workflow('Loops', [childJob('Loops')]));
    const user = await store('workflow', workflow('Calls Loops', [childJob('Loops'), childJob('Loopsy')]));
    const before = await read('workflow', user);
    const answered = await rename('workflow', id, 'Circles');
    const stored = await read('workflow', id);
    expect(answered).toEqual(stored);
    expect(incomingOf(stored, '1')?.workflow).toBe('Circles');
    const followed = await read('workflow', user);
    expect(incomingOf(followed, '1')?.workflow).toBe('Circles');
    expect(incomingOf(followed, '2')?.workflow).toBe('Loopsy');
    expect(followed.created).toBe(before.created);
    expect(Date.parse(String(followed.last_updated))).toBeGreaterThan(
      Date.parse(String(before.last_updated)),
    );
    expect(await users('workflow', id)).toEqual(['workflow Calls Loops']);
  });

  test('of a command template is a new id, and is followed as well', async () => {
    await store('mopCommandTemplate', asset('mopCommandTemplate', 'Old check'));
    const user = await store(
      'workflow',
      workflow('Checks', [task('RunCommandTemplate', { template: 'Old check' })]),
    );
    await rename('mopCommandTemplate', 'Old check', 'New check');
    expect(incomingOf(await read('workflow', user), '1')?.template).toBe('New check');
    expect(await users('mopCommandTemplate', 'New check')).toEqual(['workflow Checks']);
    expect((await rejection(read('mopCommandTemplate', 'Old check'))).code).toBe('NOT_FOUND');
  });

  test('of a command template in a project is followed by its component', async () => {
    const project = await asAdmin(database, (ctx) => insertProject(ctx, { name: 'Of checks' }));
    const name = `@${project.id}: Old`;
    const id = await store('mopCommandTemplate', asset('mopCommandTemplate', name), project.id);
    await rename('mopCommandTemplate', id, `@${project.id}: New`);
    const [row] = await rows<{ components: string }>(
      database.db,
      sql`select doc ->> 'components' as components from projects where id = ${project.id}`,
    );
    expect(JSON.parse(row?.components ?? '')).toEqual([
      { iid: 1, type: 'mopCommandTemplate', reference: `@${project.id}: New`, folder: '/' },
    ]);
  });

  test('to a name that others waited for makes them its users', async () => {
    const id = await store('workflow', workflow('Not yet'));
    await store('workflow', workflow('Waits', [childJob('At last')]));
    expect(await users('workflow', id)).toEqual([]);
    await rename('workflow', id, 'At last');
    expect(await users('workflow', id)).toEqual(['workflow Waits']);
  });
});

describe('an asset that is created later', () => {
  test.each([
    ['workflow', childJob('Later')],
    ['template', task('renderJinjaTemplate', { name: 'Later' })],
    ['mopAnalyticTemplate', task('runAnalyticsTemplate', { analytic_template_name: 'Later' })],
  ] as const)('a %s is the target of references that named it before', async (kind, by) => {
    const user = `Early for ${kind}`;
    await store('workflow', workflow(user, [by]));
    const id = await store(kind, asset(kind, 'Later'));
    expect(await users(kind, id)).toEqual([`workflow ${user}`]);
  });

  test('is not the target of a reference to another kind', async () => {
    await store('workflow', workflow('Means a workflow', [childJob('Ambiguous')]));
    const id = await store('transformation', asset('transformation', 'Ambiguous'));
    expect(await users('transformation', id)).toEqual([]);
  });
});

describe('an asset that is used', () => {
  test('is not deleted while it is used, and its users are named', async () => {
    const id = await store('transformation', asset('transformation', 'Used'));
    const names = ['A', 'B', 'C', 'D', 'E'].map((letter) => `Uses it ${letter}`);
    for (const name of names) {
      await store('workflow', workflow(name, [task('transformation', { tr_id: id })]));
    }
    const error = await rejection(drop('transformation', id));
    expect(error.code).toBe('CONFLICT');
    expect(error.message).toBe(
      'Transformation Used is used by workflow Uses it A, workflow Uses it B, workflow Uses it C and 2 others',
    );
    expect((error.data as { usedBy: { name: string }[] }).usedBy.map(({ name }) => name)).toEqual(names);
  });

  test('is deleted when nothing references it, or together with what references it', async () => {
    const id = await store('transformation', asset('transformation', 'Dropped'));
    const user = await store('workflow', workflow('Drops it', [task('transformation', { tr_id: id })]));
    expect((await rejection(drop('transformation', id))).code).toBe('CONFLICT');
    await change('workflow', user, (doc) => ({ ...workflow(doc.name), _id: doc._id }));
    await drop('transformation', id);
    expect((await rejection(read('transformation', id))).code).toBe('NOT_FOUND');
    const left = await rows(database.db, sql`select from asset_references where target_id = ${id}`);
    expect(left).toEqual([]);
  });

  test('by more documents than can be listed is reported as such, however many of them are removed too', async () => {
    const id = await store('workflow', workflow('Popular'));
    const leaving = [];
    for (let at = 0; at < 25; at++) {
      leaving.push({
        kind: 'workflow' as const,
        id: await store('workflow', workflow(`Fan ${at}`, [childJob('Popular')])),
      });
    }
    const target = [{ kind: 'workflow' as const, id }];
    expect(await usersOf(database.db, target)).toHaveLength(20);
    expect(await usersOf(database.db, target, leaving.slice(1))).toMatchObject([{ name: 'Fan 0' }]);
    expect((await rejection(drop('workflow', id))).message).toContain('17 or more others');
  });

  test('stays while a project lists it', async () => {
    const project = await asAdmin(database, (ctx) => insertProject(ctx, { name: 'Lists it' }));
    const id = await store('template', asset('template', `@${project.id}: Listed`), project.id);
    const error = await rejection(drop('template', id));
    expect(error).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('Lists it') });
  });
});

describe('names that are taken', () => {
  test('are found with their numbered forms, and nothing that only looks alike', async () => {
    for (const name of [
      'Port',
      'Port (1)',
      'Port (12)',
      'Port (x)',
      'Port (1) old',
      'Port(3)',
      'Portal (1)',
      'port',
    ]) {
      await store('jsonForm', asset('jsonForm', name));
    }
    expect([...(await takenNames(database.db, 'jsonForm', ['Port', 'Nobody']))].sort()).toEqual([
      'Port',
      'Port (1)',
      'Port (12)',
    ]);
    expect(await takenNames(database.db, 'jsonForm', [])).toEqual(new Set());
  });

  test('are found by their index, also among many', async () => {
    await rows(
      database.db,
      sql`insert into forms (id, doc) select lpad(to_hex(n), 24, '0'), jsonb_build_object('name', 'Many ' || n, 'description', repeat('x', 800))
          from generate_series(1, 20000) n`,
    );
    await database.db.execute(sql`analyze forms`);
    const [plan] = await rows<Record<string, unknown>>(
      database.db,
      sql`explain (format json) ${namesTaken(tableOf('jsonForm'), ['Many 7'], sql`a.name`)}`,
    );
    expect(JSON.stringify(plan)).toContain('forms_name');
    expect(JSON.stringify(plan)).not.toContain('Seq Scan');
    expect(await takenNames(database.db, 'jsonForm', ['Many 7'])).toEqual(new Set(['Many 7']));
  });
});
