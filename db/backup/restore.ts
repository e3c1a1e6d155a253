import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql, TransactionSql } from 'postgres';
import type { Connection } from '../embedded.ts';
import { MIGRATION_LOCK, migrateTo, migrationTimes } from '../migrate.ts';
import {
  asRecorded,
  BackupError,
  type End,
  type Frame,
  type Header,
  readFrames,
  reading,
  Sum,
  type TableSum,
} from './format.ts';
import { asDatabase, inSession, openSession, quoted, quotedTable } from './session.ts';
import { verifyBackup } from './verify.ts';
import { engineLevelOf, sizeOf, tablesOf } from './write.ts';

interface Restore {
  connection: Connection;
  file: string;
  /** Replaces the current content of the database. */
  force: boolean;
  /** Creates the tables of the engine for durable work. */
  makeEngineTables: () => Promise<void>;
  /** Called with one line per step. */
  print: (line: string) => void;
}

/**
 * Returns a backup's header.
 *
 * @param file path of the file
 * @throws BackupError when the file is not a backup that this version can restore
 */
export async function readHeader(file: string): Promise<Header> {
  for await (const frame of readFrames(file)) {
    const header = reading.header(frame);
    if (!migrationTimes().includes(header.level)) {
      throw new BackupError(
        `The backup was made by Switchyard ${header.release}, whose tables this version does not know: restore it with that version, or a newer one`,
      );
    }
    return header;
  }
  throw reading.damaged();
}

/**
 * Restores a backup into a database in one transaction: completely, or nothing changes.
 *
 * @throws BackupError with one line that says why, and what to do
 */
export async function restoreBackup({
  connection,
  file,
  force,
  makeEngineTables,
  print,
}: Restore): Promise<void> {
  const header = await readHeader(file);
  print('verifying the file');
  await verifyBackup(file);
  const session = openSession(connection);
  let isEngineNew = false;
  try {
    await inSession(connection, session, '', async (tx) => {
      await assertFree(tx, force);
      isEngineNew = (await engineLevelOf(tx)) === null;
    });
    await makeEngineTables();
    await inSession(connection, session, '', async (tx) => {
      // A service that starts now waits for this lock before it reads the tables.
      await tx.unsafe(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
      await assertFree(tx, force);
      await load(tx, header, file, print);
    });
  } catch (error) {
    // The operator sees the first error, even when this clean-up fails.
    if (isEngineNew) await dropEngineTables(session).catch(() => undefined);
    throw error;
  } finally {
    await session.end({ timeout: 5 });
  }
}

/** Drops the tables of the engine again, unless a service has begun to use them. */
async function dropEngineTables(session: Sql): Promise<void> {
  await session.begin(async (tx) => {
    await tx.unsafe(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await assertFree(tx, true);
    await tx.unsafe('drop schema if exists dbos cascade');
  });
}

/** Time that a service which was just stopped has to end its sessions, in milliseconds. */
const LEAVING_MS = 10_000;

/** @throws BackupError when a service uses the database, or when it is not empty and `force` is false */
async function assertFree(tx: TransactionSql, force: boolean): Promise<void> {
  const end = Date.now() + LEAVING_MS;
  for (;;) {
    // In a transaction, every read of pg_stat_activity returns the snapshot of the first one, until it is cleared.
    await tx.unsafe('select pg_stat_clear_snapshot()');
    const [row] = await tx.unsafe(`
      select count(*)::int as n from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name = 'switchyard'`);
    if (Number(row?.n) === 0) break;
    if (Date.now() > end) {
      throw new BackupError('A running service uses the database: stop every process of it, then restore');
    }
    await sleep(100);
  }
  if (force) return;
  const [row] = await tx.unsafe(`
    select count(*)::int as n from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and (n.nspname = 'public' or n.nspname = 'drizzle')`);
  if (Number(row?.n) > 0) {
    throw new BackupError(
      'The database is not empty: restore into an empty one, or use --force, which deletes all its data',
    );
  }
}

async function load(
  tx: TransactionSql,
  header: Header,
  file: string,
  print: Restore['print'],
): Promise<void> {
  await dropTables(tx);
  await migrateTo(asDatabase(tx), header.level);
  const known = await engineLevelOf(tx);
  if (header.engineLevel !== null && (known === null || known < header.engineLevel)) {
    throw new BackupError(
      `The backup was made by Switchyard ${header.release}, whose durable work this version cannot resume: restore it with that version, or a newer one`,
    );
  }
  await makePartitions(tx, header);
  const tables = await tablesOf(tx);
  const free = await withoutRules(tx);
  const names = tables.map(({ table }) => quotedTable(table)).join(', ');
  await tx.unsafe(`truncate ${names}`);
  const end = await loadRows(tx, file, new Map(tables.map(({ table, columns }) => [table, columns])), print);
  for (const { sequence, value, called } of end.sequences) {
    await tx.unsafe(`select setval(to_regclass($1), $2::bigint, $3) where to_regclass($1) is not null`, [
      quotedTable(sequence),
      value,
      called,
    ]);
  }
  print('checking references');
  await free.restore();
  print('checking counts');
  for (const { table, rows } of end.tables) await assertCount(tx, table, rows);
  print('bringing the tables up to date');
  await migrateTo(asDatabase(tx));
  await forgetTransactions(tx);
}

/**
 * Deletes the rows that refer to transactions of the server on which the backup was made. This server numbers its own
 * transactions, so it would mistake old edits for future ones (decision 0060).
 */
async function forgetTransactions(tx: TransactionSql): Promise<void> {
  await tx.unsafe(`delete from list_totals`);
  await tx.unsafe(`delete from document_edits`);
  await tx.unsafe(`update forgotten_edits set upto = '0'`);
}

/** Drops all tables, sequences, functions and types of the service's schemas; extensions and the engine's tables stay. */
async function dropTables(tx: TransactionSql): Promise<void> {
  await tx.unsafe(`do $$ declare one text; begin
    -- Named before the first is dropped: a function of a table's rows goes with the table, and has no name then.
    foreach one in array array(
      select format('table if exists %I.%I cascade', n.nspname, c.relname) as what
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'p') and n.nspname in ('public', 'drizzle') and not exists (
          select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
      union all
      select format('sequence if exists %I.%I cascade', n.nspname, c.relname)
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind = 'S' and n.nspname in ('public', 'drizzle') and not exists (
          select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('e', 'i'))
      union all
      select format('%s if exists %s cascade', case p.prokind when 'p' then 'procedure' else 'function' end, p.oid::regprocedure)
        from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where n.nspname = 'public' and p.prokind in ('f', 'p') and not exists (
          select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
      union all
      select format('type if exists %s cascade', t.oid::regtype)
        from pg_type t join pg_namespace n on n.oid = t.typnamespace
        where n.nspname = 'public' and t.typtype in ('e', 'd') and not exists (
          select from pg_depend d where d.classid = 'pg_type'::regclass and d.objid = t.oid and d.deptype = 'e')
    ) loop
      execute 'drop ' || one;
    end loop;
  end $$`);
}

/** The accepted bounds of a partition, which become part of a statement. */
const BOUND = /^(DEFAULT|FOR VALUES FROM \('[^'\\]*'\) TO \('[^'\\]*'\))$/;

async function makePartitions(tx: TransactionSql, { partitions }: Header): Promise<void> {
  for (const { table, partition, bound } of partitions) {
    if (!BOUND.test(bound)) throw reading.damaged();
    const [schema = 'public'] = table.split('.');
    const name = `${schema}.${partition}`;
    const [found] = await tx.unsafe(
      `select to_regclass($1) is not null as found, to_regclass($2) is not null as wanted`,
      [quotedTable(name), quotedTable(table)],
    );
    if (found?.found || !found?.wanted) continue;
    await tx.unsafe(`create table ${quotedTable(name)} (like ${quotedTable(table)} including all)`);
    await tx.unsafe(`alter table ${quotedTable(table)} attach partition ${quotedTable(name)} ${bound}`);
  }
}

/**
 * Disables the triggers and drops the foreign keys of all tables: rows are loaded table by table, and the totals that
 * triggers maintain are part of the backup. `restore` reverts both, which checks every reference.
 */
async function withoutRules(tx: TransactionSql): Promise<{ restore: () => Promise<void> }> {
  const keys = await tx.unsafe(`
    select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_namespace n on n.oid = k.connamespace
    where contype = 'f' and conparentid = 0 and n.nspname in ('public', 'dbos')`);
  const triggered = await tx.unsafe(`
    select distinct tgrelid::regclass::text as table from pg_trigger t
      join pg_class c on c.oid = tgrelid join pg_namespace n on n.oid = c.relnamespace
    where not tgisinternal and n.nspname in ('public', 'dbos')`);
  for (const { table, name } of keys) {
    await tx.unsafe(`alter table ${table} drop constraint ${quoted(String(name))}`);
  }
  for (const { table } of triggered) await tx.unsafe(`alter table ${table} disable trigger user`);
  return {
    restore: async () => {
      for (const { table } of triggered) await tx.unsafe(`alter table ${table} enable trigger user`);
      for (const { table, name, definition } of keys) {
        await tx.unsafe(`alter table ${table} add constraint ${quoted(String(name))} ${definition}`);
      }
    },
  };
}

/** Loads all rows. @throws BackupError when they differ from those that were written */
async function loadRows(
  tx: TransactionSql,
  file: string,
  known: ReadonlyMap<string, readonly string[]>,
  print: Restore['print'],
): Promise<End> {
  const frames = readFrames(file);
  // The header was read before.
  await frames.next();
  const loaded: TableSum[] = [];
  for (;;) {
    const { value: frame } = (await frames.next()) as { value?: Frame };
    if (frame?.letter === 'Z') {
      const end = reading.end(frame);
      asRecorded(loaded, end.tables);
      // What follows the end is damaged.
      await frames.next();
      return end;
    }
    if (frame?.letter !== 'T') throw reading.damaged();
    const { table, columns } = reading.table(frame);
    const present = known.get(table);
    if (!present || columns.some((column) => !present.includes(column))) {
      throw new BackupError(
        `This version of Switchyard has no table ${table.slice(0, 100)} like the backup's`,
      );
    }
    loaded.push({ table, ...(await loadTable(tx, frames, table, columns)) });
    const last = loaded.at(-1);
    print(`${table}: ${last?.rows} rows, ${sizeOf(last?.bytes ?? 0)}`);
  }
}

async function loadTable(
  tx: TransactionSql,
  frames: AsyncGenerator<Frame>,
  table: string,
  columns: readonly string[],
): Promise<Omit<TableSum, 'table'>> {
  const list = columns.map(quoted).join(', ');
  const target = await tx.unsafe(`copy ${quotedTable(table)} (${list}) from stdin`).writable();
  let failure: Error | undefined;
  const failed = new Promise<never>((_, reject) => {
    target.once('error', (error) => {
      failure = error;
      reject(error);
    });
  });
  // It is awaited only while a write waits for room.
  failed.catch(() => undefined);
  const sum = new Sum();
  try {
    for (;;) {
      const { value: frame } = (await frames.next()) as { value?: Frame };
      if (failure) throw failure;
      if (frame?.letter === 'E') {
        const found = asRecorded(sum.done(), reading.tableEnd(frame));
        const finished = once(target, 'finish');
        target.end();
        await Promise.race([finished, failed]);
        return found;
      }
      if (frame?.letter !== 'D') throw reading.damaged();
      sum.add(frame.content);
      // A copy, because the reader reuses the bytes of the frame.
      if (!target.write(Buffer.from(frame.content))) await Promise.race([once(target, 'drain'), failed]);
    }
  } catch (error) {
    // Ends the COPY: a connection that is still in one cannot roll back the transaction.
    target.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
}

async function assertCount(tx: TransactionSql, table: string, rows: number): Promise<void> {
  const [found] = await tx.unsafe(`select count(*)::text as n from ${quotedTable(table)}`);
  if (Number(found?.n) !== rows) {
    throw new BackupError(
      `Only ${String(found?.n)} of ${rows} rows of ${table} were restored; all changes were rolled back`,
    );
  }
}
