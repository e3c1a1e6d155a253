import type { SQL } from 'drizzle-orm';
import { remove } from '#db/collection.ts';
import { isOneOf } from '#db/expressions.ts';
import { deviceGroups } from '#db/tables/network/gateway.ts';
import { assertMayChange, lockDocuments } from '#server/domains/identity/index.ts';
import { nodesWithGroups } from '#server/domains/network/index.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import type { Conflict } from '../parsers/parsers.service.ts';
import { plansUsing } from '../trees/plan-uses.service.ts';

/** The outcome of deleting several documents. */
export type Removal = { deleted: number; conflicts: Conflict[] };

/**
 * Deletes the device groups that no tree node and no plan uses; ignores unknown ids (contract/lifecycle#4.2).
 *
 * @throws ServiceError FORBIDDEN when the caller may not write one of them; none is deleted then
 */
export const deleteGroups = (ctx: WriteContext, ids: readonly string[]): Promise<Removal> =>
  removeGroups(ctx, isOneOf(deviceGroups.id, ids));

/** Deletes device groups by name, like `deleteGroups`. */
export const deleteGroupsNamed = (ctx: WriteContext, names: readonly string[]): Promise<Removal> =>
  removeGroups(ctx, isOneOf(deviceGroups.name, names));

async function removeGroups(ctx: WriteContext, which: SQL): Promise<Removal> {
  const found = await lockDocuments(ctx, 'deviceGroup', which);
  for (const one of found) assertMayChange(ctx, 'deviceGroup', one);
  const ids = found.map(({ id }) => id);
  const users = new Map<string, string[]>();
  for (const { id, node } of await nodesWithGroups(ctx, ids)) {
    users.set(id, [...(users.get(id) ?? []), node ?? 'another tree']);
  }
  for (const id of ids) {
    const plans = await plansUsing(ctx, { groupId: id });
    if (plans.length > 0) users.set(id, [...(users.get(id) ?? []), ...plans]);
  }
  const gone = await remove(
    ctx.db,
    deviceGroups,
    ids.filter((id) => !users.has(id)),
  );
  return { deleted: gone.length, conflicts: [...users].map(([id, usedBy]) => ({ id, usedBy })) };
}
