import { and, eq, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import type { ModelTask } from '#db/schemas/network/integration-model.ts';
import { integrationModels, integrationOperations } from '#db/tables/integrations/integration-models.ts';
import { allOf } from '#server/kernel/documents/documents.service.ts';
import { core, pageOfTexts } from '#server/kernel/documents/list-envelope.ts';
import { notFound } from '#server/kernel/errors.ts';
import type { ApiOperation } from '../api-operation.ts';
import type { TaskSchemas } from './bundle.ts';
import { bundleInThread } from './model-reader.service.ts';
import { getModelId } from './models.service.ts';

/** Which tasks of a model are listed, and which page of them. */
type TasksQuery = {
  method?: string | undefined;
  tag?: string | undefined;
  search?: string | undefined;
  skip?: number | undefined;
  limit?: number | undefined;
};

/** Tasks of a page, unless the caller says otherwise. */
const USUAL_LIMIT = 25;

/**
 * Lists the tasks of a model in the order of its document.
 *
 * @param query `search` is looked for in name, path and summary; case is ignored
 * @throws ServiceError NOT_FOUND
 */
export async function listTasks({ db }: { db: Database }, model: string, query: TasksQuery) {
  const { method, tag, search, skip = 0, limit = USUAL_LIMIT } = query;
  const versionId = await getModelId(db, model);
  const t = integrationOperations;
  const where = allOf(
    sql`${t.model} = ${versionId}`,
    method === undefined ? undefined : sql`${t.method} = ${method.toUpperCase()}`,
    tag === undefined ? undefined : sql`${t.tags} ? ${tag}::text`,
    search === undefined
      ? undefined
      : sql`position(lower(${search}) in lower(concat_ws(' ', ${t.name}, ${t.path}, ${t.summary}))) > 0`,
  );
  const page = await rows<{ text: string }>(
    db,
    sql`select jsonb_build_object('name', ${t.name}, 'method', ${t.method}, 'path', ${t.path},
          'summary', ${t.summary}, 'tags', ${t.tags}, 'deprecated', ${t.deprecated},
          'effect', ${t.operation} -> 'effect')::text as text
        from ${t} where ${where} order by ${t.place} limit ${limit}::int offset ${skip}::int`,
  );
  const total = await db.$count(t, where);
  return core<ModelTask>(
    pageOfTexts(
      page.map(({ text }) => text),
      total,
    ),
  );
}

/**
 * Returns the schemas of a task of a model with what they refer to, as JSON Schema.
 *
 * @param versionId id of the model
 * @throws ServiceError NOT_FOUND
 */
export async function getTaskSchemas(db: Database, versionId: string, name: string): Promise<TaskSchemas> {
  const { source } = integrationModels;
  const { model, operation } = integrationOperations;
  const [found] = await db
    .select({ source, operation })
    .from(integrationOperations)
    .innerJoin(integrationModels, eq(integrationModels.id, model))
    .where(and(eq(model, versionId), eq(integrationOperations.name, name)));
  if (!found) throw notFound(`Task of ${versionId}`, name);
  return bundleInThread({ source: found.source, operation: found.operation as ApiOperation });
}
