import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';

const SERVER_ID = randomUUID().replaceAll('-', '').slice(0, 24);

/** Whether this process lives and what it needs does (lifecycle §2, `/health/status`). Never throws. */
export async function readStatus(db: Database, { now }: { now: () => Date }, excludeServices: boolean) {
  const database = await rows(db, sql`select 1`).then(
    () => 'running' as const,
    () => 'stopped' as const,
  );
  return {
    host: hostname(),
    serverId: SERVER_ID,
    serverName: 'switchyard',
    ...(!excludeServices && { services: [{ service: 'database', status: database }] }),
    timestamp: now().getTime(),
    apps: 'running' as const,
    adapters: 'running' as const,
  };
}
