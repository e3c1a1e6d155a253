import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { isOneOf } from '#db/expressions.ts';
import type { GroupReference } from '#db/schemas/workflow/task.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { workflows } from '#db/tables/assets/assets.ts';
import { groups } from '#db/tables/identity/accounts.ts';
import { getAsset, replaceAsset } from '#server/domains/assets/index.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { notFound } from '#server/kernel/errors.ts';
import { assertNone } from '#server/kernel/validation/document-issues.ts';
import { lockWorkflow } from './workflows.service.ts';

/** The word for everyone with access (contract/resources#2.13, groups). */
const EVERYONE = 'default';

/** Lists the groups of a workflow, as stored (contract/lifecycle#5.2). @throws ServiceError NOT_FOUND */
export async function listGroups(ctx: ReadContext, name: string): Promise<GroupReference[]> {
  const { doc } = await getAsset<Workflow>(ctx, 'workflow', sql`${workflows.name} = ${name}`, {
    called: name,
  });
  return doc.groups ?? [];
}

/**
 * Changes the groups of a workflow.
 *
 * @param change returns the new groups for the current ones
 * @returns the new groups
 * @throws ServiceError NOT_FOUND, FORBIDDEN, CONFLICT
 */
async function changeGroups(
  ctx: WriteContext,
  name: string,
  change: (held: GroupReference[]) => GroupReference[],
): Promise<GroupReference[]> {
  const stored = await lockWorkflow(ctx, { name });
  const next = change(stored.doc.groups ?? []);
  await replaceAsset(ctx, 'workflow', stored, { ...stored.doc, groups: next });
  return next;
}

/**
 * Sets the groups of a workflow.
 *
 * @returns the groups of the workflow from now on
 * @throws ServiceError as `changeGroups`, BAD_REQUEST for unknown ones
 */
export async function replaceGroups(
  ctx: WriteContext,
  name: string,
  ids: readonly string[],
): Promise<GroupReference[]> {
  await assertKnown(ctx.db, ids, (at) => ['groups', at]);
  return changeGroups(ctx, name, () => [...new Set(ids)]);
}

/**
 * Adds a group to a workflow.
 *
 * @returns the groups of the workflow from now on
 * @throws ServiceError as `changeGroups`, BAD_REQUEST for an unknown one
 */
export async function addGroup(ctx: WriteContext, name: string, id: string): Promise<GroupReference[]> {
  await assertKnown(ctx.db, [id], () => ['group']);
  return changeGroups(ctx, name, (held) => (held.some((one) => idOf(one) === id) ? held : [...held, id]));
}

/**
 * Removes a group from a workflow.
 *
 * @returns the groups of the workflow from now on
 * @throws ServiceError as `changeGroups`, NOT_FOUND when the workflow does not have it
 */
export const removeGroup = (ctx: WriteContext, name: string, id: string): Promise<GroupReference[]> =>
  changeGroups(ctx, name, (held) => {
    const left = held.filter((one) => idOf(one) !== id);
    if (left.length === held.length) throw notFound(`Group of workflow ${name}`, id);
    return left;
  });

/**
 * Removes all groups from a workflow.
 *
 * @returns an empty list, the groups of the workflow from now on
 * @throws ServiceError as `changeGroups`
 */
export const removeGroups = (ctx: WriteContext, name: string): Promise<GroupReference[]> =>
  changeGroups(ctx, name, () => []);

const idOf = (group: GroupReference) => (typeof group === 'string' ? group : group._id);

async function assertKnown(
  db: Database,
  ids: readonly string[],
  path: (at: number) => (string | number)[],
): Promise<void> {
  const found = await db.select({ id: groups.id }).from(groups).where(isOneOf(groups.id, ids));
  const known = new Set([EVERYONE, ...found.map(({ id }) => id)]);
  assertNone(
    ids.flatMap((id, at) =>
      known.has(id) ? [] : [{ path: path(at), message: `group ${id} does not exist`, code: 'unknown' }],
    ),
  );
}
