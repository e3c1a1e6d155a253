import { type SQL, sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { rows } from '#db/client.ts';
import { remove } from '#db/collection.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { DeviceGroup } from '#db/schemas/network/device.ts';
import { deviceGroups } from '#db/tables/gateway.ts';
import { assertMayWrite } from '#server/domains/identity/index.ts';
import { nodesWithGroups } from '#server/domains/network/index.ts';
import { allOf, type Writing } from '#server/kernel/documents/documents.service.ts';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import type { Conflict } from '../parsers/parsers.service.ts';
import { plansUsing } from '../trees/plan-uses.service.ts';

/** What became of several documents that were to be deleted. */
export type Removal = { deleted: number; conflicts: Conflict[] };

/**
 * Delete the device groups that no node of a tree holds and no plan names; ids that are not there count for nothing
 * (contract/lifecycle#4.2).
 *
 * @throws ServiceError FORBIDDEN when one may not be written: none is deleted then
 */
export const deleteGroups = (ctx: Writing, ids: readonly string[]): Promise<Removal> =>
  removeGroups(ctx, sql`id = any(${textArray(ids)})`);

/** The same, by names. */
export const deleteGroupsNamed = (ctx: Writing, names: readonly string[]): Promise<Removal> =>
  removeGroups(ctx, sql`name = any(${textArray(names)})`);

async function removeGroups(ctx: Writing, which: SQL): Promise<Removal> {
  const { db, principal, request } = ctx;
  const found = await rows<{ id: string; doc: string }>(
    db,
    sql`select id, (doc - 'devices')::text as doc from ${deviceGroups}
        where ${allOf(which, mayRead(deviceGroups, principal))} order by id for update`,
  );
  for (const { doc } of found) {
    const { name, gbac, updated } = JSON.parse(doc) as DeviceGroup;
    assertMayWrite(gbac, principal, `Device group ${name}`);
    assertUnchanged(request.ifMatch, updated, `Device group ${name}`);
  }
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
    db,
    deviceGroups,
    ids.filter((id) => !users.has(id)),
  );
  return { deleted: gone.length, conflicts: [...users].map(([id, usedBy]) => ({ id, usedBy })) };
}
