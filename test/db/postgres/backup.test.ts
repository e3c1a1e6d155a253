import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, expect, inject, test } from 'vitest';
import { frames, readFrames, writeFrames } from '#db/backup/format.ts';
import { readHeader, restoreBackup } from '#db/backup/restore.ts';
import { writeBackup } from '#db/backup/write.ts';
import { inTransaction, openDatabase, rows } from '#db/client.ts';
import type { Connection } from '#db/embedded.ts';
import { startEngine } from '#server/durable/engine.ts';
import { openLog } from '#server/kernel/observability/log.ts';
import { makeFolder } from '../../helpers/folder.ts';
import { createDatabase, databaseOn, dropDatabase } from '../../helpers/lists/databases.ts';
import { isLong } from '../../helpers/long.ts';
import { openTestDatabase } from '../../helpers/postgres.ts';

const { server, template } = inject('postgres');
const source = await openTestDatabase();
const folder = await makeFolder();
const made: string[] = [];
afterAll(async () => {
  for (const name of made) await dropDatabase(server, name);
});

let files = 0;
async function backUp(): Promise<string> {
  const file = join(folder, `${files++}.backup`);
  const { connection } = source;
  await writeBackup({ connection, file, release: 'test', keyFingerprint: null, print: () => undefined });
  return file;
}
/** A database with empty tables, those of the engine included. */
async function target(): Promise<Connection> {
  const name = await createDatabase(server, template);
  made.push(name);
  return databaseOn(server, name);
}
const restore = (connection: Connection, file: string, force = true, makeEngineTables = async () => {}) =>
  restoreBackup({ connection, file, force, makeEngineTables, print: () => undefined });
/** A database with nothing in it. */
async function emptyTarget(): Promise<Connection> {
  const name = await createDatabase(server);
  made.push(name);
  return databaseOn(server, name);
}
async function requested<Row extends Record<string, unknown>>(connection: Connection, query: string) {
  const { db, close } = openDatabase({ connection, max: 1 });
  return rows<Row>(db, sql.raw(query)).finally(close);
}
const add = (name: string) =>
  rows(
    source.db,
    sql`insert into tags (id, doc) values (${name}, ${JSON.stringify({ _id: name, name })}::jsonb)`,
  );
async function tagsIn(connection: Connection): Promise<string[]> {
  const { db, close } = openDatabase({ connection, max: 1 });
  const found = await rows<{ id: string }>(db, sql`select id from tags order by id`).finally(close);
  return found.map(({ id }) => id);
}

test('a backup contains the data of its start, unusual characters included, and is restored completely', async () => {
  await add('back\\slash\ttab\nline "quoted"');
  await rows(source.db, sql`insert into document_edits (table_name, by) values ('workflows', '9000000000')`);
  await rows(source.db, sql`update forgotten_edits set upto = '8000000000'`);
  await rows(
    source.db,
    sql`insert into list_totals (key, seen, total, stored) values ('k', '9000000000:9000000000:', '1', now())`,
  );
  await source.close();
  const file = await backUp();
  const connection = await target();
  await restore(connection, file);
  expect(await tagsIn(connection)).toEqual(['back\\slash\ttab\nline "quoted"']);
  // Transactions of another server mean nothing here.
  expect(await requested(connection, 'select from document_edits')).toEqual([]);
  expect(await requested(connection, 'select from list_totals')).toEqual([]);
  expect(await requested(connection, 'select upto::text as upto from forgotten_edits')).toEqual([
    { upto: '0' },
  ]);
});

test('a file that cannot be written is named, with the reason', async () => {
  const file = join(folder, 'no such folder', 'a.backup');
  const { connection } = await openTestDatabase();
  const writing = writeBackup({
    ...{ connection, file, release: 'test', keyFingerprint: null },
    print: () => undefined,
  });
  await expect(writing).rejects.toThrow(
    `${file}.partial could not be written, and nothing of it is left: ENOENT`,
  );
});

test('a database that is not empty is rejected, and so are damaged and foreign files; nothing has changed then', async () => {
  const file = await backUp();
  const connection = await target();
  await expect(restore(connection, file, false)).rejects.toThrow('not empty');
  const bytes = await readFile(file);
  const cut = join(folder, 'cut.backup');
  await writeFile(cut, bytes.subarray(0, bytes.length - 40));
  await expect(restore(connection, cut)).rejects.toThrow('damaged');
  const foreign = join(folder, 'foreign.backup');
  await writeFile(foreign, 'no backup at all');
  await expect(restore(connection, foreign)).rejects.toThrow('not a backup of Switchyard');
  expect(await tagsIn(connection)).toEqual([]);
});

test.skipIf(!isLong)('a restore waits for the sessions of a service that has just stopped', async () => {
  const file = await backUp();
  const connection = await target();
  const leaveLater = async () => {
    const { db, close } = openDatabase({ connection, max: 1 });
    await rows(db, sql`select 1`);
    setTimeout(close, 500);
  };
  await expect(restore(connection, file, true, leaveLater)).resolves.toBeUndefined();
});

test('a backup of another format or of later tables is rejected with what to do', async () => {
  const connection = await emptyTarget();
  const file = join(folder, 'later.backup');
  const header = await readHeader(await backUp());
  const later = async (more: object) => {
    await rm(file, { force: true });
    await writeFrames(
      file,
      (async function* () {
        yield frames.header({ ...header, ...more });
      })(),
    );
    return restore(connection, file, false);
  };
  await expect(later({ format: 99 })).rejects.toThrow(
    'The backup has format 99, but this version of Switchyard reads at most format 1: restore it with the version that made it',
  );
  await expect(later({ level: 9_999_999_999_999 })).rejects.toThrow(
    'whose tables this version does not know',
  );
});

test('a restore into an empty database that fails leaves it empty, the schemas included', async () => {
  const connection = await emptyTarget();
  const file = await backUp();
  const bytes = await readFile(file);
  const cut = join(folder, 'cut-in-the-middle.backup');
  await writeFile(cut, bytes.subarray(0, bytes.length - 40));
  const makeEngineTables = async () => {
    const engine = await startEngine({ connection, log: openLog('silent'), workers: [] });
    await engine.stop();
  };
  await expect(restore(connection, cut, false, makeEngineTables)).rejects.toThrow('damaged');
  const left = await requested(
    connection,
    `select nspname from pg_namespace where nspname !~ '^pg_' and nspname not in ('information_schema', 'public')
     union all select relname from pg_class where relnamespace = 'public'::regnamespace`,
  );
  expect(left).toEqual([]);
});

test.skipIf(!isLong)('rows of a month come back into the partition of that month', async () => {
  const { db, close } = openDatabase({ connection: source.connection, max: 1 });
  await rows(db, sql`select make_compliance_report_partition('2031-05-09'::timestamptz)`).finally(close);
  const connection = await target();
  await restore(connection, await backUp());
  const bounds = `select c.relname, pg_get_expr(c.relpartbound, c.oid) as bound from pg_class c
    where relispartition and relkind = 'r' order by 1`;
  const restored = await requested(connection, bounds);
  expect(restored).toContainEqual({
    relname: 'compliance_report_203105',
    bound: expect.stringContaining("'2031-05-01"),
  });
  expect(restored).toEqual(await requested(source.connection, bounds));
});

test.skipIf(!isLong)(
  'a backup has the state of one moment, whatever is written while it is made',
  async () => {
    const { db, close } = openDatabase({ connection: source.connection, max: 1 });
    let isOver = false;
    let written = 0;
    const writing = (async () => {
      while (!isOver) {
        const id = `w${written}`;
        // Two tables that one transaction writes, far from each other in the order of the backup.
        await inTransaction(db, async (tx) => {
          await rows(tx, sql`insert into installation (name, value) values (${id}, '')`);
          await rows(
            tx,
            sql`insert into tags (id, doc) values (${id}, jsonb_build_object('_id', ${id}::text))`,
          );
        });
        written += 1;
      }
    })();
    await expect.poll(() => written).toBeGreaterThan(20);
    const before = written;
    const file = await backUp();
    const after = written;
    isOver = true;
    await writing.finally(close);
    const connection = await target();
    await restore(connection, file);
    const ids = (query: string) => requested<{ id: string }>(connection, query);
    const tags = await ids(`select id from tags where id ~ '^w[0-9]+$' order by substr(id, 2)::int`);
    expect(tags).toEqual(
      await ids(`select name as id from installation where name ~ '^w[0-9]+$' order by substr(name, 2)::int`),
    );
    expect(tags).toEqual(tags.map((_, at) => ({ id: `w${at}` })));
    expect(tags.length).toBeGreaterThanOrEqual(before);
    // What was written after the first table was read is missing, though it was there before the last one was.
    expect(after).toBeGreaterThan(tags.length);
  },
);

test.skipIf(!isLong)(
  'tables whose last rows arrive in pieces of any size are backed up to the end',
  async () => {
    await requested(
      source.connection,
      `insert into tags (id, doc) select 'p' || n, jsonb_build_object('_id', 'p' || n, 'text', repeat(md5(n::text), 180))
     from generate_series(1, 40) n`,
    );
    for (let run = 0; run < 20; run += 1) {
      await requested(
        source.connection,
        `update tags set doc = doc || jsonb_build_object('more', repeat('x', 997 * ${run}))
      where id ~ '^p[0-9]+$'`,
      );
      await backUp();
    }
  },
);

test.skipIf(!isLong)(
  'a table of 20,000 large rows is backed up and restored in bounded memory',
  async () => {
    await requested(
      source.connection,
      `insert into tags (id, doc) select 'big' || n, jsonb_build_object('_id', 'big' || n, 'text', repeat(md5(n::text), 180))
     from generate_series(1, 20000) n`,
    );
    let most = 0;
    const begun = process.memoryUsage().rss;
    const look = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss - begun);
    }, 20);
    const file = await backUp();
    const connection = await target();
    await restore(connection, file);
    clearInterval(look);
    console.log(`115 MB of rows: ${Math.round(most / 1024 / 1024)} MiB more`);
    const count = `select count(*)::int as n from tags where id like 'big%'`;
    expect(await requested(connection, count)).toEqual([{ n: 20_000 }]);
    expect(most).toBeLessThan(110 * 1024 * 1024);
  },
  300_000,
);

test.skipIf(!isLong)(
  'a row of 192 MiB is read in a time that grows with its size',
  async () => {
    const file = join(folder, `${files++}-large.backup`);
    const header = await readHeader(await backUp());
    const row = Buffer.alloc(192 * 1024 * 1024, 'x');
    await writeFrames(
      file,
      (async function* () {
        yield frames.header(header);
        yield frames.table({ table: 'public.tags', columns: ['doc'] });
        yield frames.rows(row);
        yield frames.tableEnd({ rows: 0, bytes: row.length, sha256: '' });
        yield frames.end({ tables: [], sequences: [] });
      })(),
    );
    const read: [string, number][] = [];
    for await (const { letter, content } of readFrames(file)) read.push([letter, content.length]);
    expect(read.map(([letter]) => letter).join('')).toBe('HTDEZ');
    expect(read[2]).toEqual(['D', row.length]);
  },
  60_000,
);
