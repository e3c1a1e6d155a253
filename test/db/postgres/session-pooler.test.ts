import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, expect, test } from 'vitest';
import { writeBackup } from '#db/backup/write.ts';
import { openDatabase, rows } from '#db/client.ts';
import { listen } from '#db/connections/listen.ts';
import { migrate } from '#db/migrate.ts';
import { openEnginePool } from '#server/durable/pool.ts';
import { makeFolder } from '../../helpers/folder.ts';
import { databaseUrlOf, openTestDatabase } from '../../helpers/postgres.ts';
import { freePort } from '../../helpers/processes/free-port.ts';
import { until } from '../../helpers/processes/processes.ts';

const program = 'pgbouncer';
const isPresent = spawnSync(program, ['--version']).error === undefined;

const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

/** Starts PgBouncer with its default settings, which are those of sessions, in front of a database. @returns the URL */
async function openPooler(): Promise<string> {
  const { connection } = await openTestDatabase();
  const url = new URL(await databaseUrlOf(connection));
  const folder = await makeFolder();
  const port = await freePort();
  const users = join(folder, 'users.txt');
  writeFileSync(users, `"${url.username}" "${decodeURIComponent(url.password)}"\n`);
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${url.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
`,
  );
  // It does not run as root.
  const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const child = spawn(program, ['-q', file], { stdio: 'ignore', ...account });
  closing.push(() => child.kill('SIGKILL'));
  url.port = String(port);
  return url.href;
}

test.skipIf(!isPresent)(
  'everything works through a pooler in session mode with its default settings',
  async () => {
    const url = await openPooler();
    const { db, close } = openDatabase({ connection: url, max: 3, statementTimeoutMs: 7000 });
    closing.push(close);
    await until('PgBouncer', () =>
      rows(db, sql`select 1`).then(
        () => true,
        () => undefined,
      ),
    );
    await migrate(url);
    expect(
      await rows(
        db,
        sql`select current_setting('statement_timeout') as statement, current_setting('timezone') as zone,
        current_setting('idle_in_transaction_session_timeout') as idle`,
      ),
    ).toEqual([{ statement: '7s', zone: 'UTC', idle: '7s' }]);
    const pool = openEnginePool({ connection: url, max: 1, hungMs: 5000, failed: () => undefined });
    closing.push(() => pool.end());
    expect(
      (await pool.query("select current_setting('idle_in_transaction_session_timeout') as idle")).rows,
    ).toEqual([{ idle: '5s' }]);
    const heard: (string | undefined)[] = [];
    closing.push(await listen(url, { pooled_test: (payload) => void heard.push(payload) }));
    await rows(db, sql`select pg_notify('pooled_test', 'here')`);
    await until('the notification', () => heard.includes('here') || undefined);
    const file = join(await makeFolder(), 'pooled.backup');
    await writeBackup({
      connection: url,
      file,
      release: 'test',
      keyFingerprint: null,
      print: () => undefined,
    });
  },
);
