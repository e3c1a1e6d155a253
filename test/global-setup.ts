import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { lives } from '#db/embedded/postmaster.ts';
import { type Connection, openEmbedded } from '#db/embedded.ts';
import { migrate } from '#db/migrate.ts';
import { createDatabase, databaseOn, dropDatabase } from './helpers/databases.ts';

const PREFIX = 'switchyard-test-';

/** One server and one migrated template database for all test files; `TEST_DATABASE_URL` names a server to use instead of our own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const server = given ? { connection: given as Connection, stop: async () => undefined } : await ownServer();
  const template = await createDatabase(server.connection).catch(async (error) => {
    await server.stop();
    throw error;
  });
  const teardown = async () => {
    await dropDatabase(server.connection, template);
    await server.stop();
  };
  try {
    await migrate(databaseOn(server.connection, template));
  } catch (error) {
    await teardown();
    throw error;
  }
  project.provide('postgres', { server: server.connection, template });
  return teardown;
}

async function ownServer(): Promise<{ connection: Connection; stop: () => Promise<void> }> {
  await removeAbandoned();
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  // as root, another account runs the server
  await chmod(folder, 0o711);
  const log = (severity: string, message: string) => {
    if (severity !== 'debug') console.error(`${severity}: ${message}`);
  };
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  try {
    const { connection, close } = await openEmbedded({ dataDir: join(folder, 'data'), log, durable: false });
    return { connection, stop: () => close().then(removeFolder) };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

/** Removes the folders of runs that were killed: their servers have ended by themselves. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : 0;
    if (!pid || lives(pid)) continue;
    // another account's stay
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined);
  }
}
