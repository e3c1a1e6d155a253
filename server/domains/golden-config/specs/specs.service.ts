import { type SQL, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import type { Spec } from '#db/schemas/golden-config/config-spec.ts';
import { goldenTrees, specs, treeVersions } from '#db/tables/golden-config/configurations.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { notFound } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { visibleTree } from '../trees/trees.service.ts';

/**
 * Returns the rules of one node as JSON text; the tree decides who may see them (contract/lifecycle#4.6).
 *
 * @throws ServiceError NOT_FOUND
 */
export async function getSpec(ctx: ReadContext, id: string): Promise<JsonText<Spec>> {
  return json(await specText(ctx, id));
}

/** Returns the same rules, parsed. */
export async function readSpec(ctx: ReadContext, id: string): Promise<Spec> {
  return JSON.parse(await specText(ctx, id)) as Spec;
}

async function specText({ db, principal }: ReadContext, id: string): Promise<string> {
  const text = await findSpecText(
    db,
    sql`${specs.id} = ${id} and (${specs.versionId} is null or exists (
      select from ${treeVersions} join ${goldenTrees} on ${visibleTree(principal, sql`${treeVersions.treeId}`)}
      where ${treeVersions.id} = ${specs.versionId}))`,
  );
  if (text === undefined) throw notFound('Config spec', id);
  return text;
}

/**
 * Returns a spec as text. A spec without a device type gets that of the version that owns it; exports keep it without
 * (contract/lifecycle#4.7).
 *
 * @returns undefined when there is none
 */
export async function findSpecText(db: Database, where: SQL): Promise<string | undefined> {
  const [found] = await rows<{ doc: string }>(
    db,
    sql`select (coalesce((select jsonb_build_object('deviceType', version.doc -> 'deviceType')
          from ${treeVersions} as version where version.id = ${specs.versionId}), '{}') || ${specs.doc})::text as doc
        from ${specs} where ${where}`,
  );
  return found?.doc;
}
