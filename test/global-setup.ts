import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { type Connection, openEmbedded } from '#db/embedded.ts';
import { migrate } from '#db/migrate.ts';
import { compile } from '#server/app/compile.mjs';
import { startEngine } from '#server/durable/engine.ts';
import { buildConsole } from '../web/build.mjs';
import { createDatabase, databaseOn, dropDatabases } from './helpers/lists/databases.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A server for tests, and its migrated template database. */
    postgres: { server: Connection; template: string };
    /** Holds everything that the run writes, and goes with it. */
    folder: string;
  }
}

// The module runner formats the stack of an error with source maps, and throws on modules that it read from its cache; a
// connection that is refused while the database starts would end the run.
const { prepareStackTrace } = Error;
Error.prepareStackTrace = (error, sites) => {
  try {
    return prepareStackTrace?.(error, sites) ?? String(error);
  } catch {
    return `${error}\n    at ${sites.join('\n    at ')}`;
  }
};

/**
 * One server and one migrated template database for all test files; `TEST_DATABASE_URL` names a server to use instead of our own.
 * What fails here, or is interrupted, leaves no process and no folder.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const undo: (() => Promise<unknown>)[] = [];
  const teardown = async () => {
    for (const step of undo.reverse()) await step();
  };
  try {
    // The code of threads, and the console: otherwise processes that start together would each build them.
    const built = Promise.all([compile({ main: 'server/app/work/thread-entries.ts' }), buildConsole()]);
    undo.push(() => built.catch(() => undefined));
    const { folder, remove } = await runFolder();
    undo.push(remove);
    const server = process.env.TEST_DATABASE_URL ?? (await ownServer(folder, undo));
    const template = await createDatabase(server);
    // with the templates that workers make of it
    undo.push(() => dropDatabases(server, template));
    await migrate(databaseOn(server, template));
    await makeEngineTables(databaseOn(server, template));
    await built;
    project.provide('folder', folder);
    project.provide('postgres', { server, template });
  } catch (error) {
    await teardown();
    throw error;
  }
  return teardown;
}

async function ownServer(folder: string, undo: (() => Promise<unknown>)[]): Promise<Connection> {
  const log = (severity: string, message: string) => {
    if (severity !== 'debug') console.error(`${severity}: ${message}`);
  };
  const { connection, close } = await openEmbedded({
    dataDir: join(folder, 'data'),
    log,
    durable: false,
    createsDatabases: true,
  });
  undo.push(close);
  return connection;
}

/** The durable engine's own tables, which it makes at its first start: requests that ask for work write there. */
async function makeEngineTables(connection: Connection) {
  const engine = await startEngine({ connection, log: pino({ level: 'silent' }), workers: [] });
  await engine.stop();
}

/** Removes $1 unless a line says that this has been done. It outlives us, however we end, by the time that our servers need to stop. */
const BROOM = `trap '' INT TERM HUP
read -r word && exit 0
for pause in 1 4; do sleep $pause; rm -rf -- "$1"; done`;

/** Where Linux keeps files in memory, and how much of it and of the memory must be free: a run writes about a gigabyte. */
const SHARED_MEMORY = '/dev/shm';
const GIB = 1024 ** 3;
const FREE_BYTES = { files: 4 * GIB, memory: 8 * GIB };

/**
 * Returns the parent of the run's folder: memory where enough of it is free, otherwise the folder for temporary files. Each
 * test database is a copy of 800 files, which costs a tenth of the CPU time in memory that it costs on a disk.
 */
async function parentFolder(): Promise<string> {
  const { bavail, bsize } = await statfs(SHARED_MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  const hasRoom = bavail * bsize >= FREE_BYTES.files && process.availableMemory() >= FREE_BYTES.memory;
  return hasRoom ? SHARED_MEMORY : tmpdir();
}

async function runFolder(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(await parentFolder(), 'switchyard-test-'));
  // as root, another account runs the server
  await chmod(folder, 0o711);
  const broom = spawn('/bin/sh', ['-c', BROOM, 'switchyard-broom', folder], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  broom.unref();
  const remove = async () => {
    await rm(folder, { recursive: true, force: true });
    broom.stdin.end('done\n');
  };
  return { folder, remove };
}
