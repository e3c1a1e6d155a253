import { afterAll, inject } from 'vitest';
import { type OpenDatabase, openDatabase } from '#db/client.ts';
import type { Connection } from '#db/embedded.ts';
import { createDatabase, databaseOn, dropDatabase } from './lists/databases.ts';

/** A migrated, empty database of a test file's own. */
export interface TestDatabase extends OpenDatabase {
  connection: Connection;
}

/** A copy of the migrated template, dropped after the test file's last test. Call it outside of tests, or in `beforeAll`. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const { server, template } = inject('postgres');
  const name = await createDatabase(server, template);
  const connection = databaseOn(server, name);
  const opened = openDatabase({ connection, max: 5 });
  afterAll(async () => {
    await opened.close();
    await dropDatabase(server, name);
  });
  return { ...opened, connection };
}
