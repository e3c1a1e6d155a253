import { sql } from 'drizzle-orm';
import { findText } from '#db/collection.ts';
import type { Spec } from '#db/schemas/golden-config/config-spec.ts';
import { goldenTrees, specs, treeVersions } from '#db/tables/documents.ts';
import type { Reading } from '#server/kernel/documents/documents.service.ts';
import { notFound } from '#server/kernel/errors.ts';
import { json } from '#server/kernel/json-text.ts';
import { visibleTree } from '../trees/trees.service.ts';

/**
 * The rules of one node, passed on as text; who may see them follows from the tree (lifecycle §4.6).
 *
 * @throws ServiceError NOT_FOUND
 */
export async function getSpec(ctx: Reading, id: string): Promise<Spec> {
  return json(await specText(ctx, id));
}

/** The same for work with it. */
export async function readSpec(ctx: Reading, id: string): Promise<Spec> {
  return JSON.parse(await specText(ctx, id)) as Spec;
}

async function specText({ db, principal }: Reading, id: string): Promise<string> {
  const text = await findText(
    db,
    specs,
    sql`${specs.id} = ${id} and (${specs.versionId} is null or exists (
      select from ${treeVersions} join ${goldenTrees} on ${visibleTree(principal, sql`${treeVersions.treeId}`)}
      where ${treeVersions.id} = ${specs.versionId}))`,
  );
  if (text === undefined) throw notFound('Config spec', id);
  return text;
}
