import { getTableName, type SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { scopeOf } from './access.ts';
import {
  analyticTemplates,
  automations,
  commandTemplates,
  forms,
  projects,
  templates,
  transformations,
  workflows,
} from './asset-tables.ts';
import { documentCounts } from './count-tables.ts';
import { sql } from './statement.ts';
import { audit, backups, goldenTrees, parsers } from './tables.ts';

/**
 * Tables whose documents are counted as they are written (`count_documents` in db/migrations), each with the column
 * that decides who sees a document; null where all see all.
 */
export const COUNTED: ReadonlyMap<PgTable, PgColumn | null> = new Map<PgTable, PgColumn | null>([
  [workflows, workflows.projectId],
  [transformations, transformations.projectId],
  [templates, templates.projectId],
  [forms, forms.projectId],
  [commandTemplates, commandTemplates.projectId],
  [analyticTemplates, analyticTemplates.projectId],
  [projects, projects.readers],
  [automations, automations.readGroups],
  [parsers, parsers.readGroups],
  [goldenTrees, goldenTrees.readGroups],
  [backups, backups.readGroups],
  [audit, null],
]);

/**
 * How many documents of a table a caller sees, as a scalar query that reads the counts instead of the documents: exact
 * in whatever snapshot it runs (decision 0060).
 *
 * @param access a condition of db/access.ts; it is asked of each scope instead of each document
 * @returns undefined for a table that is not counted, or a condition that asks more than who may see
 */
export function countedTotal(table: PgTable, access: SQL | undefined): SQL | undefined {
  const scope = COUNTED.get(table);
  if (scope === undefined) return undefined;
  const name = getTableName(table);
  if (!access) {
    return sql`(select coalesce(sum(${documentCounts.n}), 0)::text from ${documentCounts}
      where ${documentCounts.tableName} = ${name})`;
  }
  if (scope === null || scopeOf(access) !== scope) return undefined;
  // Under the table's own name, so that the condition finds its column here.
  return sql`(select coalesce(sum(n), 0)::text from (
      select scope::${sql.raw(scope.getSQLType())} as ${sql.identifier(scope.name)}, n
      from ${documentCounts} where ${documentCounts.tableName} = ${name}
    ) as ${sql.identifier(name)} where ${access})`;
}

/**
 * What tells one state of a table, and of who may see its documents, from every other, as a scalar query: any write of
 * documents changes it, in the snapshots that see the write and in no other. Equal stamps mean equal totals.
 *
 * @returns undefined when other tables may have a say
 */
export function stampOf(table: PgTable, access: SQL | undefined): SQL | undefined {
  const scope = COUNTED.get(table);
  if (scope === undefined) return undefined;
  if (access && (scope === null || scopeOf(access) !== scope)) return undefined;
  const { tableName, mark } = documentCounts;
  // Who may see a project's assets stands in the project.
  return sql`(select count(*) || ' ' || coalesce(bit_xor(uuid_hash_extended(${mark}, 0)), 0)
    from ${documentCounts} where ${tableName} in (${getTableName(table)}, 'projects'))`;
}
