import { sql } from 'drizzle-orm';
import { membershipsOf } from '#db/access.ts';
import { rows } from '#db/client.ts';
import { DOCUMENT_KINDS } from '#db/document-kinds/kinds.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { AccessControl, ComponentType } from '#db/schemas/assets/project.ts';
import { projects } from '#db/tables/assets/assets.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { forbidden, notFound, type ServiceError } from '#server/kernel/errors.ts';
import { callersIn } from '#server/kernel/principal.ts';
import { tableOf } from './references.service.ts';
import type { ComponentUse } from './references.ts';

/** A component of a project, with the access control of that project. */
type Owned = { id: string; name: string; project: string; access: AccessControl };

/**
 * Returns why the caller may not use these components, in their order; null where it may. A component of a project
 * requires `execute` there (contract/lifecycle#5.1); everybody may use a global one, and one that does not exist.
 */
export async function denialsOf(
  ctx: ReadContext,
  uses: readonly ComponentUse[],
): Promise<(ServiceError | null)[]> {
  const callers = callersIn(ctx.principal).filter(({ roles }) => !roles.includes('admin'));
  if (uses.length === 0 || callers.length === 0) return uses.map(() => null);
  const kinds = [...new Set(uses.map(({ kind }) => kind))];
  const owned = new Map<ComponentType, Owned[]>();
  for (const kind of kinds) {
    const values = [...new Set(uses.flatMap((use) => (use.kind === kind ? [use.value] : [])))];
    owned.set(kind, await ownedAmong(ctx, kind, values));
  }
  const memberships = callers.map(membershipsOf);
  const may = ({ access }: Owned, right: 'read' | 'execute') =>
    memberships.every((keys) => keys.some((key) => access[right]?.includes(key)));
  return uses.map(({ kind, by, value }) => {
    const named = (owned.get(kind) ?? []).filter(
      ({ id, name }) => (by !== 'name' && id === value) || (by !== 'id' && name === value),
    );
    const hidden = named.find((one) => !may(one, 'read'));
    if (hidden) return notFound(DOCUMENT_KINDS[kind].word, value);
    const denied = named.find((one) => !may(one, 'execute'));
    return denied ? forbidden(`Project ${denied.project} allows you to read but not to execute`) : null;
  });
}

/**
 * Denies the use of components in projects where the caller may not execute.
 *
 * @throws ServiceError NOT_FOUND when it may not even read the project; FORBIDDEN
 */
export async function assertMayUse(ctx: ReadContext, uses: readonly ComponentUse[]): Promise<void> {
  const denied = (await denialsOf(ctx, uses)).find((one) => one !== null);
  if (denied) throw denied;
}

/** Returns the components of projects among those that have one of these ids or names. */
async function ownedAmong({ db }: ReadContext, kind: ComponentType, values: string[]): Promise<Owned[]> {
  const table = tableOf(kind);
  const found = await rows<{ id: string; name: string; project: string; access: string }>(
    db,
    sql`select asset.id, asset.name, coalesce(${projects}.name, asset.project_id) as project,
          coalesce(${projects}.doc -> 'accessControl', '{}')::text as access
        from ${table} asset left join ${projects} on ${projects}.id = asset.project_id
        where asset.project_id is not null
          and (asset.id = any(${textArray(values)}) or asset.name = any(${textArray(values)}))`,
  );
  return found.map((one) => ({ ...one, access: JSON.parse(one.access) as AccessControl }));
}
