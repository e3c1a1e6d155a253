import { rename, rm, stat } from 'node:fs/promises';
import type { TransactionSql } from 'postgres';
import type { Connection } from '../embedded.ts';
import {
  BackupError,
  type End,
  FORMAT,
  frames,
  type Header,
  Sum,
  type TableSum,
  writeFrames,
} from './format.ts';
import { inSession, openSession, quoted, quotedTable } from './session.ts';

interface Backup {
  connection: Connection;
  file: string;
  release: string;
  /** Fingerprint of the key that sealed the secrets; null when it is unknown. */
  keyFingerprint: string | null;
  /** Called with one line for each table once it is written. */
  print: (line: string) => void;
}

/**
 * Writes all data that the service stores to a file, from one snapshot, so that concurrent writes do not matter. Only the
 * rows in transit are held in memory. Sealed secrets stay sealed.
 * @throws Error with one line that says why; no file is left then
 */
export async function writeBackup({ connection, file, ...backup }: Backup): Promise<void> {
  if (await stat(file).catch(() => undefined)) {
    throw new BackupError(`${file} already exists: use another file, or remove it`);
  }
  const session = openSession(connection);
  const partial = `${file}.partial`;
  await rm(partial, { force: true });
  try {
    await inSession(connection, session, 'isolation level repeatable read read only', (tx) =>
      writeFrames(partial, snapshot(tx, backup)),
    );
    await rename(partial, file);
  } finally {
    await session.end({ timeout: 5 });
    await rm(partial, { force: true });
  }
}

async function* snapshot(
  tx: TransactionSql,
  { release, keyFingerprint, print: tell }: Omit<Backup, 'connection' | 'file'>,
): AsyncGenerator<Buffer> {
  const header: Header = {
    format: FORMAT,
    product: 'switchyard',
    release,
    created: new Date().toISOString(),
    level: await levelOf(tx),
    engineLevel: await engineLevelOf(tx),
    keyFingerprint,
    partitions: await partitionsOf(tx),
  };
  yield frames.header(header);
  const tables: TableSum[] = [];
  for (const { table, columns } of await tablesOf(tx)) {
    yield frames.table({ table, columns });
    const sum = new Sum();
    const list = columns.map(quoted).join(', ');
    const rows = await tx.unsafe(`copy (select ${list} from ${quotedTable(table)}) to stdout`).readable();
    for await (const chunk of gathered(rows)) {
      sum.add(chunk);
      yield frames.rows(chunk);
    }
    // The driver leaves its socket paused when the last rows and the end arrive together (porsager/postgres#499), so that
    // the next statement would wait for ever. Reading resumes it.
    rows._read(0);
    const end = sum.done();
    yield frames.tableEnd(end);
    tables.push({ table, ...end });
    tell(`${table}: ${end.rows} rows, ${sizeOf(end.bytes)}`);
  }
  const end: End = { tables, sequences: await sequencesOf(tx) };
  yield frames.end(end);
}

/** Bytes to gather per frame: rows arrive one by one, and a frame for each would be wasteful. */
const GATHERED = 256 * 1024;

async function* gathered(rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const row of rows) {
    held.push(row);
    size += row.length;
    if (size < GATHERED) continue;
    yield Buffer.concat(held);
    held = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(held);
}

/** Returns a number of bytes as text, such as `12 KiB` or `3 MiB`. */
export const sizeOf = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${Math.round(bytes / 1024 / 1024)} MiB`;

/** @throws BackupError when the database has no tables of Switchyard */
async function levelOf(tx: TransactionSql): Promise<number> {
  const [found] = await tx.unsafe(`select to_regclass('drizzle.__drizzle_migrations') is not null as found`);
  if (!found?.found)
    throw new BackupError('The database has no data of Switchyard: there is nothing to back up');
  const [row] = await tx.unsafe(`select max(created_at)::text as level from drizzle.__drizzle_migrations`);
  return Number(row?.level ?? 0);
}

/** Returns the version of the engine's tables; null when they do not exist. */
export async function engineLevelOf(tx: TransactionSql): Promise<number | null> {
  const [found] = await tx.unsafe(`select to_regclass('dbos.dbos_migrations') is not null as found`);
  if (!found?.found) return null;
  const [row] = await tx.unsafe(`select max(version)::text as level from dbos.dbos_migrations`);
  return Number(row?.level ?? 0);
}

const OWN_TABLES = `n.nspname in ('public', 'dbos')
  and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`;

/** Returns the tables to back up and their columns. The migration records are excluded: migrations write them anew. */
export async function tablesOf(tx: TransactionSql): Promise<{ table: string; columns: string[] }[]> {
  const found = await tx.unsafe(`
    select n.nspname || '.' || c.relname as table,
      (select json_agg(attname order by attnum) from pg_attribute a
       where a.attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '')::text as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relispartition and ${OWN_TABLES} and c.relname <> 'dbos_migrations'
    order by 1`);
  return found.map(({ table, columns }) => ({
    table: String(table),
    columns: JSON.parse(String(columns ?? '[]')) as string[],
  }));
}

async function partitionsOf(tx: TransactionSql): Promise<Header['partitions']> {
  const found = await tx.unsafe(`
    select n.nspname || '.' || p.relname as table, c.relname as partition, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
      join pg_namespace n on n.oid = c.relnamespace
    where p.relkind = 'p' and c.relkind = 'r' and ${OWN_TABLES} order by 2`);
  return found.map(({ table, partition, bound }) => ({
    table: String(table),
    partition: String(partition),
    bound: String(bound),
  }));
}

async function sequencesOf(tx: TransactionSql): Promise<End['sequences']> {
  const found = await tx.unsafe(`
    select n.nspname || '.' || c.relname as sequence from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'S' and ${OWN_TABLES} order by 1`);
  const sequences: End['sequences'] = [];
  for (const { sequence } of found) {
    const [row] = await tx.unsafe(
      `select last_value::text as value, is_called as called from ${quotedTable(String(sequence))}`,
    );
    sequences.push({
      sequence: String(sequence),
      value: String(row?.value),
      called: row?.called === true || row?.called === 't',
    });
  }
  return sequences;
}
