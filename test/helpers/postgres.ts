import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { openDatabase } from '#db/client.ts';
import { migrate } from '#db/migrate.ts';

const ROOT = 'postgres://postgres@127.0.0.1:54329';
export async function openTestDatabase() {
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  const admin = postgres(`${ROOT}/postgres`, { max: 1, onnotice: () => {} });
  await admin.unsafe(`create database ${name}`);
  await migrate(`${ROOT}/${name}`);
  const { db, close, listen } = openDatabase({ connection: `${ROOT}/${name}` });
  return {
    db,
    listen,
    connection: `${ROOT}/${name}`,
    close: async () => {
      await close();
      await admin.unsafe(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}
