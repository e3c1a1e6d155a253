import { getTableName, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { type Database, rows } from '#db/client.ts';
import { gitRemotes } from '#db/tables/git/remotes.ts';
import { adapters } from '#db/tables/integrations/adapters.ts';
import { gatewayCredentials, gatewayHosts } from '#db/tables/network/gateway.ts';
import { inventorySources } from '#db/tables/network/inventory.ts';
import { notificationChannels } from '#db/tables/notifications/notifications.ts';
import { referenceOf, referencesIn } from '#server/kernel/secrets/references.ts';

/** A reference to a secret, and the document that has it. */
type UsedReference = { reference: string; provider: string | null; kind: string; name: string };

/** Most references of an answer. */
const MOST = 10_000;

type Referring = PgTable & { id: PgColumn; doc: PgColumn };

/** The documents that may refer to secrets (decision 0121), and how a user calls one. */
const REFERRING: readonly [Referring, SQL][] = [
  [adapters, sql`${adapters.id}`],
  [gatewayCredentials, sql`${gatewayCredentials.name}`],
  [gatewayHosts, sql`${gatewayHosts.name}`],
  [gitRemotes, sql`${gitRemotes.name}`],
  [inventorySources, sql`${inventorySources.name}`],
  [notificationChannels, sql`${notificationChannels.name}`],
];

/** Lists every reference to a secret in a stored document, by kind and name. */
export async function listUsedReferences({
  db,
}: {
  db: Database;
}): Promise<{ results: UsedReference[]; total: number }> {
  const results: UsedReference[] = [];
  for (const [table, name] of REFERRING) {
    const found = await rows<{ name: string; doc: string }>(
      db,
      sql`select ${name} as name, ${table.doc}::text as doc from ${table}
          where ${table.doc}::text like '%$SECRET!_%' escape '!' order by 1 limit ${MOST}`,
    );
    for (const one of found) {
      for (const reference of referencesIn(JSON.parse(one.doc))) {
        const provider = referenceOf(reference)?.provider ?? null;
        results.push({ reference, provider, kind: getTableName(table), name: one.name });
      }
    }
  }
  return { results: results.slice(0, MOST), total: results.length };
}
