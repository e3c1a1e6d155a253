import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { workflows } from '#db/tables/assets/assets.ts';
import { integrationOperations } from '#db/tables/integrations/integration-models.ts';

/** Names of the tasks that a new version of a document adds, alters and removes. */
export type OperationChanges = { added: string[]; changed: string[]; removed: string[] };

/**
 * Compares the stored operations of a model with those that are to replace them.
 *
 * @param operations rows of the table of operations, as JSON text
 */
export async function changedOperations(
  db: Database,
  versionId: string,
  operations: string,
): Promise<OperationChanges> {
  const { model, name, operation } = integrationOperations;
  const found = await rows<{ name: string; change: keyof OperationChanges }>(
    db,
    sql`with sent as (
          select one.name, one.operation
          from jsonb_to_recordset(${operations}::text::jsonb) as one(name text, operation jsonb)
        ), stored as (
          select ${name} as name, ${operation} as operation from ${integrationOperations} where ${model} = ${versionId}
        )
        select name, case when stored.operation is null then 'added' when sent.operation is null then 'removed'
          else 'changed' end as change
        from sent full join stored using (name)
        where sent.operation is distinct from stored.operation
        order by name collate "C"`,
  );
  const changes: OperationChanges = { added: [], changed: [], removed: [] };
  for (const one of found) changes[one.change].push(one.name);
  return changes;
}

/** Most uses that are reported. */
const MOST_USES = 1000;

/** Returns the workflows with tasks of these names of a model, at most 1,000. */
export async function usesOf(
  db: Database,
  versionId: string,
  names: readonly string[],
): Promise<{ workflow: string; task: string }[]> {
  if (names.length === 0) return [];
  return rows(
    db,
    sql`select distinct ${workflows.name} as workflow, task.value ->> 'name' as task
        from ${workflows}, lateral jsonb_each(case jsonb_typeof(doc -> 'tasks') when 'object' then doc -> 'tasks'
          else '{}' end) task
        where task.value ->> 'app' = ${versionId}
          and task.value ->> 'name' in (select jsonb_array_elements_text(${JSON.stringify(names)}::text::jsonb))
        order by 1, 2 limit ${MOST_USES}::int`,
  );
}
