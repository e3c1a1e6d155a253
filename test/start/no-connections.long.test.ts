import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { sql } from 'drizzle-orm';
import { expect, inject, test } from 'vitest';
import { databaseUrlOf, openTestDatabase } from '../helpers/postgres.ts';

test('a start for which the database has too few connections ends with one line that says what to do', async () => {
  const { connection, db } = await openTestDatabase();
  // Of the four, this test holds one: the migrations find one, the threads together none.
  await db.execute(
    sql`do $$ begin execute format('alter database %I connection limit 4', current_database()); end $$`,
  );
  const child = spawn(process.execPath, ['server/app/launch.cjs'], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      DATA_DIR: join(inject('folder'), `no-connections-${process.pid}`),
      DATABASE_URL: await databaseUrlOf(connection),
      LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [errors] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect(child.exitCode).toBe(1);
  expect(errors.trim().split('\n').at(-1)).toMatch(
    /^switchyard: The database accepts no more connections \(.+\): make room for this process, then start it again/,
  );
});
