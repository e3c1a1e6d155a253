import { eq, getTableName, inArray, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { type Database, rows } from './client.ts';

/** A table of documents of one kind (db/tables/documents.ts). */
export type Documents<Doc> = PgTable & {
  id: PgColumn;
  doc: PgColumn & { _: { data: Doc } };
  rev: PgColumn;
  updatedAt: PgColumn;
};

/** A stored document with its revision, which grows by one with each write. */
export type Stored<Doc> = { id: string; doc: Doc; rev: number };

/** One document that a transaction wrote: what its audit row tells. */
export type Change = { kind: string; id: string; name: string | null };

const changes = new WeakMap<object, Change[]>();

/** What was written through this transaction so far, in order. */
export function changesOf(tx: Database): Change[] {
  const known = changes.get(tx);
  if (known) return known;
  const none: Change[] = [];
  changes.set(tx, none);
  return none;
}

/** Most changes that one transaction remembers by name; an import of 10,000 backups is told by its operation. */
const REMEMBERED = 20;

function remember(db: Database, table: PgTable, id: string, doc: unknown) {
  const { name, username } = (doc ?? {}) as { name?: unknown; username?: unknown };
  const called = name ?? username;
  noteChange(db, {
    kind: getTableName(table),
    id,
    name: typeof called === 'string' ? called : null,
  });
}

/** Tell the audit row of a document that this transaction changes by other means than the functions of this file. */
export function noteChange(tx: Database, change: Change): void {
  const list = changesOf(tx);
  if (list.length < REMEMBERED) list.push(change);
}

/** The document with this id, or undefined. With `lock`, nobody else writes it before this transaction ends. */
export async function find<Doc>(
  db: Database,
  table: Documents<Doc>,
  where: string | SQL,
  lock = false,
): Promise<Stored<Doc> | undefined> {
  const condition = typeof where === 'string' ? eq(table.id, where) : where;
  const [row] = await rows<{ id: string; doc: string; rev: number }>(
    db,
    sql`select ${table.id} as id, ${table.doc}::text as doc, ${table.rev} as rev from ${table}
        where ${condition} limit 1 ${lock ? sql`for update` : sql``}`,
  );
  return row && { id: row.id, doc: JSON.parse(row.doc) as Doc, rev: row.rev };
}

/** The document's JSON as text, for answers that carry it unchanged; undefined when there is none. */
export async function findText<Doc>(
  db: Database,
  table: Documents<Doc>,
  where: string | SQL,
): Promise<string | undefined> {
  const condition = typeof where === 'string' ? eq(table.id, where) : where;
  const [row] = await rows<{ doc: string }>(
    db,
    sql`select ${table.doc}::text as doc from ${table} where ${condition} limit 1`,
  );
  return row?.doc;
}

/**
 * Every document that meets the condition, by id: for sets that are small by nature (roles, versions of a tree). With
 * `lock`, nobody else writes them before this transaction ends.
 */
export async function findAll<Doc>(
  db: Database,
  table: Documents<Doc>,
  where?: SQL,
  lock = false,
): Promise<Stored<Doc>[]> {
  const found = await rows<{ id: string; doc: string; rev: number }>(
    db,
    sql`select ${table.id} as id, ${table.doc}::text as doc, ${table.rev} as rev from ${table}
        ${where ? sql`where ${where}` : sql``} order by ${table.id} ${lock ? sql`for update` : sql``}`,
  );
  return found.map((row) => ({ ...row, doc: JSON.parse(row.doc) as Doc }));
}

type Extra = Record<string, unknown>;

/** Store a new document. A taken id or unique name fails by the constraint's name (`violates`). */
export async function insert<Doc>(
  db: Database,
  table: Documents<Doc>,
  id: string,
  doc: Doc,
  extra: Extra = {},
): Promise<Doc> {
  await db.insert(table).values({ id, doc, ...extra } as never);
  remember(db, table, id, doc);
  return doc;
}

/** Rows that one statement carries: beyond it, parameters and the statement's text grow past what is worth it. */
const CHUNK = 500;

/** Store many new documents, in statements of 500 rows. */
export async function insertMany<Doc>(
  db: Database,
  table: Documents<Doc>,
  documents: { id: string; doc: Doc; extra?: Extra }[],
): Promise<void> {
  for (let at = 0; at < documents.length; at += CHUNK) {
    const chunk = documents.slice(at, at + CHUNK);
    await db.insert(table).values(chunk.map(({ id, doc, extra }) => ({ id, doc, ...extra })) as never);
  }
  for (const { id, doc } of documents.slice(0, REMEMBERED)) remember(db, table, id, doc);
}

/**
 * Write a document over the one that was read.
 *
 * @returns false when somebody else wrote it since (`rev` is no longer the one read): nothing was changed
 */
export async function replace<Doc>(
  db: Database,
  table: Documents<Doc>,
  read: Stored<Doc>,
  doc: Doc,
  extra: Extra = {},
): Promise<boolean> {
  const written = await db
    .update(table)
    .set({ doc, rev: sql`${table.rev} + 1`, updatedAt: sql`now()`, ...extra } as never)
    .where(sql`${table.id} = ${read.id} and ${table.rev} = ${read.rev}`)
    .returning({ id: table.id });
  if (written.length === 0) return false;
  remember(db, table, read.id, doc);
  return true;
}

/** Take documents out. @returns the ids that were there */
export async function remove<Doc>(db: Database, table: Documents<Doc>, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const gone = await db
    .delete(table)
    .where(inArray(table.id, ids))
    .returning({ id: table.id, doc: table.doc });
  for (const { id, doc } of gone as { id: string; doc: unknown }[]) remember(db, table, id, doc);
  return (gone as { id: string }[]).map(({ id }) => id);
}
