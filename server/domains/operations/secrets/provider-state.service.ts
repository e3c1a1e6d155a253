import { and, eq, isNotNull, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { isoOf } from '#db/expressions.ts';
import { secretProviders } from '#db/tables/operations/secrets.ts';

/** Maximum number of characters of an error that is kept. */
const LONGEST = 1000;

/** A provider whose system could not be used the last time. */
export type FailingSecretProvider = { id: string; name: string; since: string; lastError: string | null };

/**
 * Stores whether the system of a provider can be used. Nothing is written while it answers and did before.
 *
 * @param name name of the provider; one that is not stored is ignored
 * @param fault why it cannot be used; null: it can
 */
export async function noteProviderState(db: Database, name: string, fault: string | null): Promise<void> {
  const { id, failingSince } = secretProviders;
  if (fault === null)
    await db
      .update(secretProviders)
      .set({ failingSince: null, lastError: null })
      .where(and(eq(id, name), isNotNull(failingSince)));
  else
    await db
      .update(secretProviders)
      .set({ failingSince: sql`coalesce(${failingSince}, now())`, lastError: fault.slice(0, LONGEST) })
      .where(eq(id, name));
}

/**
 * Returns the providers whose system could not be used the last time, by name.
 *
 * @returns `since` as ISO 8601; `lastError` without secrets
 */
export const failingSecretProviders = (db: Database): Promise<FailingSecretProvider[]> =>
  rows<FailingSecretProvider>(
    db,
    sql`select id, id as name, last_error as "lastError",
          ${isoOf(sql`failing_since`)} as since
        from secret_providers where failing_since is not null order by id`,
  );
