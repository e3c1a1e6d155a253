import { sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import { DOCUMENT_KINDS } from '#db/document-kinds/kinds.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import { prebuilts } from '#db/tables/assets/assets.ts';
import { getAsset, removeAssets, type StoredAsset } from '#server/domains/assets/index.ts';
import { deleteTrees } from '#server/domains/golden-config/index.ts';
import { deleteAutomation } from '#server/domains/workflow/index.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { conflict, ServiceError } from '#server/kernel/errors.ts';
import { assetKindOf } from './check.ts';
import type { InstalledComponent } from './package.ts';

/**
 * Deletes the components of a package that still exist, all or none.
 *
 * @returns the number of deleted components
 * @throws ServiceError CONFLICT naming what uses one of them: a document, a project, another package
 */
export async function removeComponents(
  ctx: WriteContext,
  prebuiltId: string,
  components: readonly InstalledComponent[],
): Promise<number> {
  await assertUnshared(ctx, prebuiltId, components);
  // The If-Match of the request applies to the package.
  const inner = { ...ctx, request: { ifMatch: null } };
  let removed = 0;
  for (const { id } of components.filter(({ type }) => type === 'automation')) {
    const done = await unlessMissing(deleteAutomation(inner, id));
    removed += done ? 1 : 0;
  }
  const trees = components.filter(({ type }) => type === 'golden-config').map(({ id }) => id);
  const { deleted, conflicts } = await deleteTrees(inner, trees);
  const [used] = conflicts;
  if (used) throw conflict(`Tree ${used.id} is used by ${used.usedBy.slice(0, 10).join(', ')}`);
  removed += deleted;
  return removed + (await removeInstalledAssets(inner, components));
}

async function removeInstalledAssets(
  ctx: WriteContext,
  components: readonly InstalledComponent[],
): Promise<number> {
  const found: { kind: ComponentType; stored: StoredAsset }[] = [];
  for (const { id, type } of components) {
    const kind = assetKindOf(type);
    const stored = kind && (await unlessMissing(getAsset(ctx, kind, id, { lock: true })));
    if (!stored) continue;
    if (stored.projectId !== null) {
      throw conflict(
        `${DOCUMENT_KINDS[kind].word} ${stored.doc.name} is a component of project ${stored.projectId}`,
      );
    }
    found.push({ kind, stored });
  }
  // They may reference each other: what is deleted with them does not count as a user.
  const leaving = found.map(({ kind, stored }) => ({ kind, id: stored.id }));
  for (const { kind, stored } of found) await removeAssets(ctx, kind, [stored], leaving);
  return found.length;
}

async function assertUnshared(
  { db }: WriteContext,
  prebuiltId: string,
  components: readonly InstalledComponent[],
): Promise<void> {
  const wanted = JSON.stringify(components.map(({ id, type }) => ({ id, type })));
  const [other] = await rows<{ prebuilt: string; component: string }>(
    db,
    sql`select p.name as prebuilt, one ->> 'name' as component
        from ${prebuilts} p, jsonb_array_elements(p.doc -> 'components') one
          join jsonb_to_recordset(${wanted}::text::jsonb) as t(id text, type text)
            on one ->> 'id' = t.id and one ->> 'type' = t.type
        where p.id <> ${prebuiltId} order by 1, 2 limit 1`,
  );
  if (other) throw conflict(`${other.component} also belongs to prebuilt ${other.prebuilt}`);
}

/** Returns undefined when the component no longer exists. */
async function unlessMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}
