import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as run } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
export async function migrate(connection: string) {
  const c = postgres(connection, { max: 1, onnotice: () => {} });
  await run(drizzle(c), { migrationsFolder: 'db/migrations' });
  await c.end();
}
