import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { createAdmin, seedAccess } from '#server/domains/identity/rights/seed.service.ts';

/** Stores the account `admin`, for which jobs can do whatever a benchmark lets them do. @returns its id */
export async function storeAdmin(db: Database): Promise<string> {
  await seedAccess(db, { catalogue: [] });
  const { store } = await createAdmin(db, undefined);
  await store();
  const [admin] = await rows<{ id: string }>(db, sql`select id from accounts where username = 'admin'`);
  if (!admin) throw new Error('There is no account admin');
  return admin.id;
}
