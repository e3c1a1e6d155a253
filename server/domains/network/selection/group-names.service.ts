import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { isOneOf } from '#db/expressions.ts';
import { deviceGroups } from '#db/tables/network/gateway.ts';

/**
 * Returns the device groups of these names that exist, and whether they have a selection.
 *
 * @returns id and kind by name; names without a group are missing
 */
export async function groupsNamed(
  db: Database,
  names: readonly string[],
): Promise<Map<string, { id: string; isDynamic: boolean }>> {
  if (names.length === 0) return new Map();
  const { id, name, doc } = deviceGroups;
  const found = await db
    .select({
      id,
      name,
      isDynamic: sql<boolean>`jsonb_typeof(${doc} -> 'selection') is not distinct from 'object'`,
    })
    .from(deviceGroups)
    .where(isOneOf(name, names));
  return new Map(found.map((group) => [group.name ?? '', group]));
}
