import { getTableName, sql } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { countedTotal } from '#db/counting/counts.ts';
import { DOCUMENT_KINDS, type DocumentKind, kindsWhere, type SourceKind } from '#db/document-kinds/kinds.ts';
import { readable } from '#db/document-kinds/readable.ts';
import { newId } from '#db/ids.ts';
import { ComponentType } from '#db/schemas/assets/project.ts';
import { SEARCHED, type SearchResult } from '#db/schemas/assets/search.ts';
import { getAsset, insertAsset, replaceAsset } from '#server/domains/assets/stored/assets.service.ts';
import { recordReferences } from '#server/domains/assets/stored/references.service.ts';
import { readEvents } from '#server/domains/workflow/events/reading.service.ts';
import { operations } from '#server/http/operations.ts';
import { asAdmin, asset } from '../helpers/documents/assets.ts';
import { storeOfKind } from '../helpers/lists/kinds.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const { db } = service;

const nameOf = (kind: DocumentKind) => getTableName(DOCUMENT_KINDS[kind].table);
const all = kindsWhere(() => true);
const ofAccess = (...wanted: string[]) => kindsWhere(({ access }) => wanted.includes(access));

/** Names of tables, or what a query finds under `name`, in order. */
const namesIn = async (query: ReturnType<typeof sql>) =>
  (await rows<{ name: string }>(db, query)).map(({ name }) => name).sort();

test('every table of documents belongs to exactly one kind', async () => {
  const tables = await namesIn(
    sql`select table_name as name from information_schema.columns c
        where table_schema = current_schema() and column_name = 'rev'
          and exists (select from information_schema.columns d where d.table_schema = c.table_schema
            and d.table_name = c.table_name and d.column_name = 'doc')`,
  );
  expect(tables.length).toBeGreaterThan(30);
  // Devices are a view over what reports them.
  const known = all.filter((kind) => kind !== 'device').map(nameOf);
  expect(known.sort()).toEqual(tables);
});

test('a kind decides by an access list, or by a project, exactly where its table has one', async () => {
  const having = (column: string) =>
    namesIn(
      sql`select table_name as name from information_schema.columns
          where table_schema = current_schema() and column_name = ${column} order by 1`,
    );
  const listed = ofAccess('list').filter((kind) => kind !== 'device');
  expect(listed.map(nameOf).sort()).toEqual(await having('write_groups'));
  expect(ofAccess('members').map(nameOf)).toEqual(['projects']);
  const owned = ofAccess('project').map(nameOf);
  expect(await having('project_id')).toEqual(expect.arrayContaining(owned));
});

test('a name that must be unique has a unique index', async () => {
  const indexes = await namesIn(
    sql`select tablename || ' ' || indexname as name from pg_indexes where indexdef like 'CREATE UNIQUE%'`,
  );
  for (const kind of kindsWhere(({ unique }) => unique)) {
    expect(indexes).toContain(`${nameOf(kind)} ${DOCUMENT_KINDS[kind].unique}`);
  }
});

test('exactly the kinds of many documents are counted, logged and indexed by parts of names', async () => {
  const counted = kindsWhere((one) => one.counted);
  const named = counted.filter((kind) => !DOCUMENT_KINDS[kind].counted?.onlyTotals);
  const triggers = (suffix: string) =>
    namesIn(sql`select tgrelid::regclass::text as name from pg_trigger where tgname like ${`%\\_${suffix}`}`);
  const indexes = (suffix: string) =>
    namesIn(sql`select tablename as name from pg_indexes where indexname like ${`%\\_${suffix}`}`);
  const tablesOf = (kinds: DocumentKind[]) => kinds.map(nameOf).sort();
  // Jobs have counts of their own, by name, creator and hour.
  expect((await triggers('counted_in')).filter((table) => table !== 'jobs')).toEqual(tablesOf(counted));
  expect(await triggers('logged_in')).toEqual(tablesOf(named));
  expect(await indexes('name_bigrams')).toEqual(tablesOf(named));
  expect(await indexes('name_parts')).toEqual(tablesOf(named));
  expect(await indexes('description_parts')).toEqual(tablesOf(kindsWhere((one) => one.counted?.described)));
});

/** What decides who sees a document: nobody is kept out, the reader is let in, others alone are. */
const SCOPES = ['open', 'mine', 'theirs'] as const;
type Scope = (typeof SCOPES)[number];
const reader = { id: 'anna', roles: ['apiread'], groups: ['g0'] };

const projects: Partial<Record<Scope, string>> = {};
const projectOf = async (scope: Scope) => {
  if (scope === 'open') return null;
  projects[scope] ??= await storeOfKind(db, 'project', {
    doc: { accessControl: { read: [scope === 'mine' ? 'group:g0' : 'account:ben'] } },
  });
  return projects[scope];
};

async function storeIn(kind: DocumentKind, scope: Scope): Promise<string> {
  const groups = scope === 'open' ? [] : [scope === 'mine' ? 'g0' : 'g1'];
  const doc = {
    ...(ofAccess('list').includes(kind) && { gbac: { read: groups, write: groups } }),
    ...(kind === 'project' && {
      accessControl: { read: scope === 'mine' ? ['group:g0'] : ['account:ben'] },
    }),
  };
  const columns = DOCUMENT_KINDS[kind].access === 'project' ? { project_id: await projectOf(scope) } : {};
  return storeOfKind(db, kind, { doc, columns });
}

test.each(kindsWhere(({ counted }) => counted))(
  'the total of %s is the number of visible documents, for every caller, after any write',
  async (kind) => {
    const { table } = DOCUMENT_KINDS[kind];
    const expectCounted = async () => {
      for (const who of [reader, { ...reader, roles: ['admin'] }]) {
        const access = readable(kind, who);
        const total = countedTotal(table, access);
        if (!total) throw new Error(`${kind} is not counted`);
        const [row] = await rows<{ total: string; there: string }>(
          db,
          sql`select ${total} as total, (select count(*)::text from ${table} ${access ? sql`where ${access}` : sql``}) as there`,
        );
        expect(row?.total).toBe(row?.there);
      }
    };
    const steps = fc.array(
      fc.tuple(fc.constantFrom('store', 'delete', 'touch'), fc.constantFrom(...SCOPES)),
      {
        minLength: 3,
        maxLength: 8,
      },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const ids: string[] = [];
        for (const [step, scope] of taken) {
          const id = ids.at(-1);
          if (step === 'store' || id === undefined) ids.push(await storeIn(kind, scope));
          else if (step === 'delete') await db.execute(sql`delete from ${table} where id = ${ids.pop()}`);
          else await db.execute(sql`update ${table} set doc = doc || '{"type":"other"}' where id = ${id}`);
          await expectCounted();
        }
      }),
      { numRuns: 3 },
    );
  },
);

test('a kind without stored counts has no stored total', () => {
  for (const kind of kindsWhere(({ counted }) => !counted)) {
    expect(countedTotal(DOCUMENT_KINDS[kind].table, undefined), kind).toBeUndefined();
  }
});

test.each(ofAccess('list', 'project', 'members', 'automation'))(
  'a caller reads the documents of %s that let it in, and no others',
  async (kind) => {
    const { table, access } = DOCUMENT_KINDS[kind];
    const ids: Record<string, string> = {};
    for (const scope of SCOPES) {
      const automation = { action_id: await storeIn('automation', scope) };
      ids[scope] =
        access === 'automation'
          ? await storeOfKind(db, kind, { columns: automation })
          : await storeIn(kind, scope);
    }
    const readableIds = async (who: typeof reader) => {
      const where = readable(kind, who) ?? sql`true`;
      const found = await rows<{ id: string }>(db, sql`select id from ${table} where ${where}`);
      return Object.values(ids).filter((id) => found.some((one) => one.id === id));
    };
    const open = kind === 'project' ? [] : [ids.open];
    expect(await readableIds(reader)).toEqual([...open, ids.mine]);
    expect(await readableIds({ ...reader, roles: ['admin'] })).toEqual(Object.values(ids));
  },
);

test('the search covers exactly the kinds that declare a search', () => {
  const declared = kindsWhere(({ search }) => search);
  expect(declared, 'db/schemas/assets/search.ts lists them in the order of kinds.ts').toEqual([...SEARCHED]);
});

test('the endpoints of search and events exist, for the callers that the kind names', () => {
  const audiences = new Map(operations.map(({ permission, meta }) => [permission, meta.audience]));
  for (const kind of all) {
    const { search, events } = DOCUMENT_KINDS[kind];
    for (const endpoint of [search, events]) {
      if (endpoint) expect(audiences.get(endpoint.permission), kind).toEqual(endpoint.roles);
    }
  }
});

test.each(SEARCHED)('the search finds a %s by its name', async (kind) => {
  const name = `Wombat of ${kind} ${newId()}`;
  const { table } = DOCUMENT_KINDS[kind];
  const id = await storeOfKind(db, kind, { doc: { name } });
  // Adapters are called by their ids.
  if (!table.name) await db.execute(sql`update ${table} set id = ${name} where id = ${id}`);
  const { json } = await service.send('admin', 'GET', `/search?q=${encodeURIComponent(name)}`);
  const { results } = json as { results: SearchResult[] };
  expect(results.map((one) => [one.kind, one.name])).toEqual([[kind, name]]);
});

test.each(kindsWhere(({ access, events }) => events && access === 'list'))(
  'an event about a %s reaches the accounts that its access list admits at that moment',
  async (kind) => {
    const id = await storeIn(kind, 'mine');
    const [row] = await rows<{ id: string }>(
      db,
      sql`insert into events (source, topic, subjects, kind, documents, readers, time, payload)
          values ('test', 'changed', array[${id}::text], ${kind}, array[${id}::text], '["before"]', now(), '{}') returning id`,
    );
    const [reported] = await readEvents(db, { after: Number(row?.id) - 1, subjects: [id] });
    expect(reported?.documents).toEqual([[['g0']]]);
  },
);

const sources = kindsWhere(({ references }) => references) as SourceKind[];
const renames = ComponentType.options.flatMap((kind) => sources.map((source) => [kind, source] as const));

test.each(renames)('a renamed %s is followed by a %s that names it', async (kind, source) => {
  const project = await storeOfKind(db, 'project', { doc: { accessControl: { read: [] }, members: [] } });
  const [before, after] = [`@${project}: Old ${newId()}`, `@${project}: New ${newId()}`];
  const id = await asAdmin({ db }, async (ctx) => {
    const own = kind.startsWith('mop') ? before : newId();
    await insertAsset(ctx, kind, own, asset(kind, before), { projectId: project });
    return own;
  });
  const user = await storeOfKind(db, source, { doc: { note: before } });
  await recordReferences(db, source, [{ id: user, doc: { name: 'User', note: before } }]);
  await asAdmin({ db }, async (ctx) => {
    const stored = await getAsset(ctx, kind, id, { lock: true });
    await replaceAsset(ctx, kind, stored, { ...stored.doc, name: after });
  });
  const [row] = await rows<{ note: string }>(
    db,
    sql`select doc ->> 'note' as note from ${DOCUMENT_KINDS[source].table} where id = ${user}`,
  );
  expect(row?.note).toBe(after);
});
