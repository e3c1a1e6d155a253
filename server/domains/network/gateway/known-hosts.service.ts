import { and, eq } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import type { Database } from '#db/client.ts';
import { isOneOf } from '#db/expressions.ts';
import { gatewayHosts } from '#db/tables/network/gateway.ts';
import type { Caller } from '#server/kernel/principal.ts';

/** Returns those of the names that no host of the cli inventory has, as far as the caller may see the hosts. */
export async function unknownHosts(
  { db, principal }: { db: Database; principal: Caller },
  names: readonly string[],
): Promise<string[]> {
  const { kind, name } = gatewayHosts;
  const found = await db
    .select({ name })
    .from(gatewayHosts)
    .where(and(eq(kind, 'cli'), isOneOf(name, names), mayRead(gatewayHosts, principal)));
  const known = new Set(found.map((row) => row.name));
  return names.filter((one) => !known.has(one));
}
