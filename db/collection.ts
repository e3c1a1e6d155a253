import { eq, getTableColumns, getTableName, SQL, type SQLChunk } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { type Database, rows, runInsertion } from './client.ts';
import { isOneOf } from './expressions.ts';
import { sql } from './statement.ts';

/** A table of documents of one kind (db/tables/). */
export type Documents<Doc> = PgTable & {
  id: PgColumn;
  doc: PgColumn & { _: { data: Doc } };
  rev: PgColumn;
  updatedAt: PgColumn;
};

/** A stored document with its revision, which each write increments by one. */
export type Stored<Doc> = { id: string; doc: Doc; rev: number };

/** One document that a transaction wrote, as recorded in its audit row. */
export type Change = { kind: string; id: string; name: string | null };

const changes = new WeakMap<object, Change[]>();

/** Returns what this transaction has written so far, in order. */
export function changesOf(tx: Database): Change[] {
  const known = changes.get(tx);
  if (known) return known;
  const none: Change[] = [];
  changes.set(tx, none);
  return none;
}

/** Maximum number of changes recorded by name per transaction; an import of 10,000 backups is audited as one operation. */
const MOST_CHANGES = 20;

function noteDocument(db: Database, table: PgTable, id: string, doc: unknown) {
  noteChange(db, { kind: getTableName(table), id, name: nameOf(doc) });
}

/** Fields that name a document to users, in this order: most have a name, accounts a user name, proposals a device. */
const NAMES = ['name', 'username', 'deviceName', 'title'];

function nameOf(doc: unknown): string | null {
  const fields = (doc ?? {}) as Record<string, unknown>;
  const called = NAMES.map((field) => fields[field]).find((value) => typeof value === 'string');
  return (called as string | undefined) ?? null;
}

/** Records, for the audit row, a document that this transaction changes without using the functions of this file. */
export function noteChange(tx: Database, change: Change): void {
  const list = changesOf(tx);
  if (list.length < MOST_CHANGES) list.push(change);
}

/**
 * Returns the document with this id, or undefined. `lock` prevents other writes to it until this transaction ends.
 *
 * @param where the id, or a condition that at most one document meets
 */
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

/**
 * Returns the document's JSON as text, for responses that carry it unchanged; undefined when it does not exist.
 *
 * @param where the id, or a condition that at most one document meets
 */
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
 * Returns every document that meets the condition, ordered by id: for sets that are always small (roles, versions of a
 * tree).
 */
export async function findAll<Doc>(db: Database, table: Documents<Doc>, where?: SQL): Promise<Stored<Doc>[]> {
  const found = await rows<{ id: string; doc: string; rev: number }>(
    db,
    sql`select ${table.id} as id, ${table.doc}::text as doc, ${table.rev} as rev from ${table}
        ${where ? sql`where ${where}` : sql``} order by ${table.id}`,
  );
  return found.map((row) => ({ ...row, doc: JSON.parse(row.doc) as Doc }));
}

type Extra = Record<string, unknown>;

/**
 * Stores a new document.
 *
 * @param extra values of further columns, by the name of the column in the code
 * @returns the document
 * @throws Error of PostgreSQL when the id or a unique name is in use; `violates` tests its constraint
 */
export async function insert<Doc>(
  db: Database,
  table: Documents<Doc>,
  id: string,
  doc: Doc,
  extra: Extra = {},
): Promise<Doc> {
  await rows(db, insertion(table, { id, doc, ...extra }));
  noteDocument(db, table, id, doc);
  return doc;
}

/**
 * Stores a new document without waiting for the answer: if it cannot be stored, the transaction fails with that error, at its next
 * statement that is waited for or at its end (`failsWith` in db/client.ts).
 *
 * @param extra values of further columns, by the name of the column in the code
 * @returns the document
 */
export async function insertUnread<Doc>(
  tx: Database,
  table: Documents<Doc>,
  id: string,
  doc: Doc,
  extra: Extra = {},
): Promise<Doc> {
  await runInsertion(tx, insertion(table, { id, doc, ...extra }));
  noteDocument(tx, table, id, doc);
  return doc;
}

/**
 * Returns the statement that stores one row; Drizzle's builder takes 29 µs to write it, which each write pays twice (decision 0157).
 *
 * @param values by the name of the column in the code; null is stored, undefined is the column's default
 */
export function insertion(table: PgTable, values: Extra): SQL {
  const given = columnsOf(table, values);
  const names = given.map(({ name }) => name);
  return sql`insert into ${table} (${sql.join(names, COMMA)}) values (${sql.join(
    given.map(({ value }) => value),
    COMMA,
  )})`;
}

const COMMA = sql`, `;

/** Returns the columns that `values` names, each with its value as the column is written. */
function columnsOf(table: PgTable, values: Extra): { name: SQL; value: SQLChunk }[] {
  const columns = getTableColumns(table);
  const given: { name: SQL; value: SQLChunk }[] = [];
  for (const key in values) {
    const value = values[key];
    const column = columns[key];
    if (!column) throw new TypeError(`${getTableName(table)} has no column ${key}`);
    if (value === undefined) continue;
    const written = value === null || value instanceof SQL ? value : column.mapToDriverValue(value);
    given.push({ name: bareName(column), value: written as SQLChunk });
  }
  return given;
}

const bareNames = new WeakMap<PgColumn, SQL>();

/** Returns the name of a column without its table, as the lists of INSERT and UPDATE have it. */
function bareName(column: PgColumn): SQL {
  const known = bareNames.get(column);
  if (known) return known;
  const name = sql`${sql.identifier(column.name)}`;
  bareNames.set(column, name);
  return name;
}

/** Rows per statement: larger statements have too many parameters and too much text to be worth it. */
const CHUNK = 500;

/** Stores many new documents, in statements of 500 rows. */
export async function insertMany<Doc>(
  db: Database,
  table: Documents<Doc>,
  documents: { id: string; doc: Doc; extra?: Extra }[],
): Promise<void> {
  for (let at = 0; at < documents.length; at += CHUNK) {
    const chunk = documents.slice(at, at + CHUNK);
    // What a row holds besides id and document depends on the table, which is not known here.
    await db.insert(table).values(chunk.map(({ id, doc, extra }) => ({ id, doc, ...extra })) as never);
  }
  for (const { id, doc } of documents.slice(0, MOST_CHANGES)) noteDocument(db, table, id, doc);
}

/**
 * Replaces a document that was read before.
 *
 * @param extra values of further columns, by the name of the column in the code
 * @returns false when it was written in the meantime (`rev` differs from the one read): nothing was changed
 */
export async function replace<Doc>(
  db: Database,
  table: Documents<Doc>,
  read: Stored<Doc>,
  doc: Doc,
  extra: Extra = {},
): Promise<boolean> {
  const values = { doc, rev: sql`${table.rev} + 1`, updatedAt: sql`now()`, ...extra };
  const changes = columnsOf(table, values).map(({ name, value }) => sql`${name} = ${value}`);
  const written = await rows(
    db,
    sql`update ${table} set ${sql.join(changes, COMMA)}
        where ${table.id} = ${read.id} and ${table.rev} = ${read.rev} returning ${table.id}`,
  );
  if (written.length === 0) return false;
  noteDocument(db, table, read.id, doc);
  return true;
}

/** Deletes documents. @returns the ids that existed */
export async function remove<Doc>(db: Database, table: Documents<Doc>, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const gone = await rows<{ id: string; doc: string }>(
    db,
    sql`delete from ${table} where ${isOneOf(table.id, ids)} returning ${table.id} as id, ${table.doc}::text as doc`,
  );
  for (const { id, doc } of gone.slice(0, MOST_CHANGES)) noteDocument(db, table, id, JSON.parse(doc));
  return gone.map(({ id }) => id);
}
