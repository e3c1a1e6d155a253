import { eq, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { integrationModels, integrationOperations } from '#db/tables/integrations/integration-models.ts';
import type { ApiOperation, SecurityScheme } from '../api-operation.ts';

/** Identifies an operation: the model's version id and the operation's name. */
export type OperationName = { versionId: string; name: string };

/** Returns the key of an operation in the map of `findOperations`; neither part contains a line break. */
export const operationKey = ({ versionId, name }: OperationName): string => `${versionId}\n${name}`;

/**
 * Returns the operations of stored models by `operationKey`, in one indexed query; unknown ones are missing.
 *
 * @param wanted at most some thousands
 */
export async function findOperations(
  db: Database,
  wanted: readonly OperationName[],
): Promise<ReadonlyMap<string, ApiOperation>> {
  if (wanted.length === 0) return new Map();
  const models = JSON.stringify(wanted.map(({ versionId }) => versionId));
  const names = JSON.stringify(wanted.map(({ name }) => name));
  const { model, name, operation } = integrationOperations;
  const found = await rows<{ model: string; name: string; operation: string }>(
    db,
    sql`select ${model} as model, ${name} as name, ${operation}::text as operation
        from ${integrationOperations}
        where (${model}, ${name}) in (
          select * from unnest(
            array(select jsonb_array_elements_text(${models}::text::jsonb)),
            array(select jsonb_array_elements_text(${names}::text::jsonb))))`,
  );
  return new Map(
    found.map((one) => [
      operationKey({ versionId: one.model, name: one.name }),
      JSON.parse(one.operation) as ApiOperation,
    ]),
  );
}

/** Returns all operations of a model in the order of its document; empty when the model does not exist. */
export async function operationsOfModel(db: Database, versionId: string): Promise<ApiOperation[]> {
  const { model, place, operation } = integrationOperations;
  const found = await rows<{ operation: string }>(
    db,
    sql`select ${operation}::text as operation from ${integrationOperations}
        where ${model} = ${versionId} order by ${place}`,
  );
  return found.map((one) => JSON.parse(one.operation) as ApiOperation);
}

/** The parts of a model that its connections refer to. */
export type ModelConnection = {
  /** `properties` of the model: the connection that an integration begins with. */
  template: Readonly<Record<string, unknown>>;
  securitySchemes: Readonly<Record<string, SecurityScheme>>;
};

/** Returns the connection template and the security schemes of a model; undefined when it does not exist. */
export async function connectionOfModel(
  db: Database,
  versionId: string,
): Promise<ModelConnection | undefined> {
  const [found] = await db
    .select({ doc: integrationModels.doc, securitySchemes: integrationModels.securitySchemes })
    .from(integrationModels)
    .where(eq(integrationModels.id, versionId));
  return (
    found && {
      template: found.doc.properties,
      securitySchemes: found.securitySchemes as ModelConnection['securitySchemes'],
    }
  );
}
