import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { openDatabase, rows } from '#db/client.ts';
import { openEmbedded } from '#db/embedded.ts';
import { migrate } from '#db/migrate.ts';
import { commandOf } from '../test/lab/programs.ts';
import { countCpu } from './cpu.ts';

/** Seconds to measure an idle process for durable work: its own CPU and the database's, in ms per second. */
const SECONDS = 20;
/**
 * Milliseconds after which a process is idle: in its first minute the library looks for schedules each second, and the server
 * analyses the tables that were just made.
 */
const SETTLED_MS = 75_000;
const folder = await mkdtemp(join(tmpdir(), 'switchyard-idle-'));
const { connection, close } = await openEmbedded({ dataDir: folder, log: () => {} });
await migrate(connection);
const { db, close: closeDatabase } = openDatabase({ connection, max: 2 });
const worker = spawn(process.execPath, [...(await commandOf('jobs-process')), JSON.stringify(connection)], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const commits = async () => {
  const [row] = await rows<{ n: string }>(
    db,
    sql`select xact_commit as n from pg_stat_database where datname = current_database()`,
  );
  return Number(row?.n);
};
try {
  await once(worker.stdout, 'data');
  await sleep(SETTLED_MS);
  const used = await countCpu(db, worker.pid);
  const before = await commits();
  await sleep(SECONDS * 1000);
  const { own, database } = await used();
  const transactions = (await commits()) - before;
  process.stdout.write(
    `idle: ${(own / SECONDS).toFixed(1)} ms CPU a second of its own, ${(database / SECONDS).toFixed(1)} of the database, ${(transactions / SECONDS).toFixed(0)} transactions a second\n`,
  );
} finally {
  worker.kill('SIGKILL');
  await closeDatabase();
  await close();
  await rm(folder, { recursive: true, force: true });
}
