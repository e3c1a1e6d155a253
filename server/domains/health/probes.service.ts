import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { migrationTimes } from '#db/migrate.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { degradedParts } from '#server/kernel/observability/part-status.ts';
import type { Platform } from '#server/kernel/platform.ts';
import { inTime } from './in-time.ts';
import { type Checks, type Probe, probeOf } from './probes.ts';

/** Time limit for the database in milliseconds: container orchestrators wait 1 s for the whole response. */
const TIMEOUT_MS = 700;

/** The time of the newest migration of this release, read once. */
let newest: number | undefined;

async function checksOf(db: Database): Promise<Checks> {
  newest ??= Math.max(...migrationTimes());
  const [found] =
    (await inTime(
      rows<{ level: string | null }>(
        db,
        sql`select max(created_at)::text as level from drizzle.__drizzle_migrations`,
      ),
      TIMEOUT_MS,
    )) ?? [];
  return {
    database: found ? 'ok' : 'unavailable',
    migrations: Number(found?.level ?? 0) >= newest ? 'ok' : 'unavailable',
    workers: degradedParts().length > 0 ? 'degraded' : 'ok',
  };
}

/**
 * Returns whether this process is alive (contract/lifecycle#2, `/health/live`). It responds as long as it can: the process
 * itself replaces threads that do not respond, and a restart does not bring a database back.
 */
export async function readLiveness(db: Database): Promise<Probe> {
  const { status, checks } = probeOf(await checksOf(db), false);
  return { status: status === 'ok' ? 'ok' : 'degraded', checks };
}

/**
 * Returns whether this process can serve requests (contract/lifecycle#2, `/health/ready`).
 *
 * @throws ServiceError SERVICE_UNAVAILABLE while the database or its newest migration is missing, and while the process is
 *   stopping
 */
export async function readReadiness(
  db: Database,
  { events }: { events: Pick<Platform['events'], 'isOpen'> },
): Promise<Probe> {
  const probe = probeOf(await checksOf(db), !events.isOpen());
  if (probe.status !== 'unavailable') return probe;
  throw new ServiceError(
    'SERVICE_UNAVAILABLE',
    'The service cannot accept requests at the moment; retry later',
    {
      extra: probe,
      headers: { 'Retry-After': '1' },
    },
  );
}
