import { randomBytes } from 'node:crypto';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import type { Database } from '#db/client.ts';

/** An empty database of its own on the server that LIST_TEST_URL names (`?host=/directory` for a socket). */
export async function openListDatabase(): Promise<{ db: Database; close: () => Promise<void> }> {
  const url = process.env.LIST_TEST_URL;
  if (!url)
    throw new Error('LIST_TEST_URL must name a PostgreSQL server where these tests may make databases');
  const { username, pathname, searchParams, hostname } = new URL(url);
  const server = { host: searchParams.get('host') ?? hostname, username, onnotice: () => {} };
  const name = `list_${randomBytes(6).toString('hex')}`;
  const owner = postgres({ ...server, database: pathname.slice(1), max: 1 });
  await owner.unsafe(`create database ${name}`);
  const client = postgres({ ...server, database: name, max: 4 });
  const close = async () => {
    await client.end();
    await owner.unsafe(`drop database ${name} with (force)`);
    await owner.end();
  };
  return { db: drizzle(client), close };
}
