import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { desc, eq, inArray, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { insert, remove, replace } from '#db/collection.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { IntegrationModel } from '#db/schemas/network/integration-model.ts';
import { adapters } from '#db/tables/integrations/adapters.ts';
import { integrationModels, integrationOperations } from '#db/tables/integrations/integration-models.ts';
import { provideRights, withdrawRights } from '#server/domains/identity/index.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { assertQuota } from '#server/kernel/documents/quota.service.ts';
import { STAMP } from '#server/kernel/documents/release-stamp.service.ts';
import { conflict, notFound } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { assertTypeIsFree } from '../types/names.service.ts';
import { changedOperations, type OperationChanges, usesOf } from './model-changes.service.ts';
import type { ReadModel } from './read-model.service.ts';

/** Most models: each adds its tasks to those that workflows can use. */
const MOST_MODELS = 500;

const resource = defineResource({
  name: 'integration models',
  schema: IntegrationModel,
  source: integrationModels,
  columns: { versionId: integrationModels.id },
  defaultSort: [{ field: 'versionId', order: 1 }],
  unlimited: true,
});

/** Lists models; `name` means their version id, as some clients call it. */
export async function listModels({ db }: Pick<ReadContext, 'db'>, options: object) {
  const query = readList(resource, options, { fields: { name: 'versionId' } });
  const { body, total } = await list(db, resource, query);
  return json<{ integrationModels: IntegrationModel[]; total: number }>(
    '{"integrationModels":[',
    body,
    `],"total":${total}}`,
  );
}

/** Returns one model, and its ETag in the headers. @throws ServiceError NOT_FOUND */
export async function getModel({ db, answer }: Pick<WriteContext, 'db' | 'answer'>, name: string) {
  const { doc, stamp } = await getRow(db, name);
  answer.headers.ETag = `"${stamp}"`;
  return doc;
}

/**
 * Stores a new model, with its operations and the roles for them.
 *
 * @throws ServiceError CONFLICT when its version id is taken, also by another adapter type, or there are 500
 *   models
 */
export async function createModel(call: WriteContext, read: ReadModel) {
  const { db, platform } = call;
  const { versionId } = read.model;
  // Others wait from here on, so that two imports at once do not both see the id free either.
  await assertQuota(db, integrationModels, { most: MOST_MODELS, what: 'integration models' });
  if ((await db.$count(integrationModels, eq(integrationModels.id, versionId))) > 0) {
    throw conflict(`Integration model ${versionId} already exists: PUT replaces it`);
  }
  await assertTypeIsFree(call, versionId, 'document');
  await insert(db, integrationModels, versionId, read.model, columnsOf(read));
  await storeOperations(db, read);
  await provideRights({ db, platform }, versionId, read.methods);
  return { status: 'OK' as const, message: `Successfully created ${described(read)}.`, data: read.model };
}

/**
 * Replaces the model of the same version id. Running jobs keep the operations that they started with.
 *
 * @returns which tasks the change adds, alters and removes, and the workflows that use those
 * @throws ServiceError NOT_FOUND; CONFLICT when it was changed in the meantime
 */
export async function replaceModel(call: WriteContext, read: ReadModel) {
  const { db, platform, request } = call;
  const { versionId } = read.model;
  const row = await getRow(db, versionId, true);
  assertUnchanged(request.ifMatch, row.stamp, `Integration model ${versionId}`);
  const changes = await changedOperations(db, versionId, read.operations);
  await replace(db, integrationModels, row, read.model, columnsOf(read));
  await db.delete(integrationOperations).where(eq(integrationOperations.model, versionId));
  await storeOperations(db, read);
  await provideRights({ db, platform }, versionId, read.methods);
  const usedBy = await usesOf(db, versionId, [...changes.changed, ...changes.removed]);
  const metadata: OperationChanges & { usedBy: typeof usedBy } = { ...changes, usedBy };
  return {
    status: 'OK' as const,
    message: `Successfully updated ${described(read)}.`,
    data: read.model,
    metadata,
  };
}

/** Returns what would be left out of a document, and where it does not meet its specification. */
export const describeModel = (read: ReadModel) => ({
  status: 'OK' as const,
  message: `${described(read)} can be imported.`,
  warnings: [
    ...read.compiled.leftOut.map(({ method, path, reason }) => ({
      path: ['paths', path, method.toLowerCase()],
      message: `is left out: ${reason}`,
    })),
    ...read.compiled.warnings.map(({ path, message }) => ({ path: [...path], message })),
  ],
});

/**
 * Deletes a model with its operations and roles.
 *
 * @throws ServiceError NOT_FOUND; CONFLICT while an integration uses it, or when it was changed in the meantime
 */
export async function deleteModel(call: WriteContext, name: string) {
  const { db, platform, request } = call;
  const { id, stamp } = await getRow(db, name, true);
  assertUnchanged(request.ifMatch, stamp, `Integration model ${id}`);
  const users = await db
    .select({ id: adapters.id })
    .from(adapters)
    .where(sql`${adapters.doc} #>> '{properties,type}' = ${id}`)
    .orderBy(adapters.id)
    .limit(NAMED + 1);
  if (users.length > 0) {
    const shown = users.slice(0, NAMED).map((one) => one.id);
    const more = users.length > NAMED ? ' and others' : '';
    throw conflict(`Integration model ${id} is used by ${shown.join(', ')}${more}: delete those first`);
  }
  await withdrawRights({ db, platform }, id);
  await remove(db, integrationModels, [id]);
  return { status: 'OK' as const, message: `Successfully deleted ${id}.` };
}

/** Returns the document as it was sent. @throws ServiceError NOT_FOUND */
export async function exportModel(
  { db }: Pick<ReadContext, 'db'>,
  name: string,
): Promise<JsonText<Record<string, unknown>>> {
  return json(await sourceOf(db, name));
}

/** Returns the security schemes as the document declares them. @throws ServiceError NOT_FOUND */
export async function getSecuritySchemes({ db }: Pick<ReadContext, 'db'>, name: string) {
  const { declaredSchemes } = await getRow(db, name);
  return declaredSchemes as Record<string, unknown>;
}

const unzip = promisify(gunzip);

/** Returns the JSON text of a model's document. @throws ServiceError NOT_FOUND */
async function sourceOf(db: Database, name: string): Promise<string> {
  const [found] = await db
    .select({ source: integrationModels.source })
    .from(integrationModels)
    .where(inArray(integrationModels.id, versionIdsOf(name)))
    .orderBy(desc(sql`${integrationModels.id} = ${name}`));
  if (!found) throw notFound('Integration model', name);
  return (await unzip(found.source)).toString('utf8');
}

/** Returns the version id of the model that a name means. @throws ServiceError NOT_FOUND */
export const getModelId = async (db: Database, name: string): Promise<string> => (await getRow(db, name)).id;

/** Most names in a message. */
const NAMED = 5;

async function getRow(db: Database, name: string, lock = false) {
  const { id, doc, rev, declaredSchemes } = integrationModels;
  const found = db
    .select({ id, doc, rev, declaredSchemes, stamp: STAMP })
    .from(integrationModels)
    .where(inArray(id, versionIdsOf(name)))
    .orderBy(desc(sql`${id} = ${name}`));
  const [row] = await (lock ? found.for('update') : found);
  if (!row) throw notFound('Integration model', name);
  return row;
}

/** Returns the version ids that a name can mean: itself, or what follows `adapter_` in the name of a package. */
function versionIdsOf(name: string): string[] {
  const [, inPackage] = /^@[^/]+\/adapter_(.+)$/.exec(name) ?? [];
  return inPackage === undefined ? [name] : [name, inPackage];
}

const columnsOf = ({ compiled, operationCount, declaredSchemes, source }: ReadModel) => ({
  title: compiled.title,
  specification: compiled.specification,
  operationCount,
  securitySchemes: compiled.securitySchemes,
  declaredSchemes,
  source: Buffer.from(source),
});

const storeOperations = (db: Database, { model, operations }: ReadModel) =>
  rows(
    db,
    sql`insert into ${integrationOperations} (model, name, place, method, path, summary, tags, deprecated, operation)
        select ${model.versionId}, one.name, one.place, one.method, one.path, one.summary, one.tags, one.deprecated,
          one.operation
        from jsonb_to_recordset(${operations}::text::jsonb) as one(name text, place integer, method text, path text,
          summary text, tags jsonb, deprecated boolean, operation jsonb)`,
  );

/** Returns the id of a model with the number of its operations, and those that were left out. */
function described({ model, operationCount, compiled: { leftOut } }: ReadModel): string {
  const counted = `${model.versionId} with ${operationCount} operation${operationCount === 1 ? '' : 's'}`;
  if (leftOut.length === 0) return counted;
  const shown = leftOut
    .slice(0, NAMED)
    .map(({ method, path, reason }) => `${`${method} ${path}`.trim()} (${reason})`);
  const more = leftOut.length > NAMED ? `, and ${leftOut.length - NAMED} more` : '';
  return `${counted}; left out: ${shown.join(', ')}${more}`;
}
