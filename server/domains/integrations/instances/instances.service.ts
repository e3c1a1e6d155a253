import { eq } from 'drizzle-orm';
import { FaceSettings } from '#db/schemas/integrations/face.ts';
import { Adapter, type AdapterEntry } from '#db/schemas/network/adapter.ts';
import { adapters } from '#db/tables/integrations/adapters.ts';
import {
  connectionOf,
  createAdapter,
  deleteAdapter,
  getAdapter,
  getConnectionSchema,
  isIntegration,
  readAdapters,
  replaceAdapter,
  updateConnection,
} from '#server/domains/network/index.ts';
import { merge } from '#server/domains/operations/index.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { invalid, invalidRequest, notFound } from '#server/kernel/errors.ts';
import { isObject, type JsonObject } from '#server/kernel/json/objects.ts';
import type { Path } from '#server/kernel/secrets/redact.ts';
import { issuesOf } from '#server/kernel/validation/zod-issues.ts';
import { connectionOfModel } from '../models/lookup.service.ts';
import { assertTypeIsFree } from '../types/names.service.ts';
import { findAdapterType, modelNameOf, versionIdIn } from './adapter-types.service.ts';
import { type SentIntegration, takenIntegration } from './instance-document.ts';

/**
 * Stores a new adapter of any type.
 *
 * @returns a confirmation with the adapter, its secrets masked
 * @throws ServiceError as createAdapter of the network domain
 */
export const createAnyAdapter = (call: WriteContext<'orchestrator'>, sent: Adapter) =>
  withFace(call, createAdapter(call, sent, findAdapterType));

/**
 * Replaces an adapter of any type.
 *
 * @returns a confirmation with the adapter, its secrets masked
 * @throws ServiceError as replaceAdapter of the network domain
 */
export const replaceAnyAdapter = (call: WriteContext<'orchestrator'>, name: string, sent: Adapter) =>
  withFace(call, replaceAdapter(call, name, sent, findAdapterType));

/**
 * Changes the connection of an adapter of any type.
 *
 * @param sent settings to merge into the connection, recursively for objects; null removes a field
 * @returns a confirmation with the adapter, its secrets masked
 * @throws ServiceError as updateConnection of the network domain
 */
export const updateAnyConnection = (call: WriteContext<'orchestrator'>, name: string, sent: JsonObject) =>
  withFace(call, updateConnection(call, name, sent, findAdapterType));

/** Returns the JSON schema of a connection, by the name of an adapter, a model or a type. @throws ServiceError NOT_FOUND */
export const getAnyConnectionSchema = (call: Pick<ReadContext, 'db'>, name: string) =>
  getConnectionSchema(call, name, findAdapterType);

/**
 * Rejects a stored adapter whose face has the name of another provider.
 *
 * @param stored the result of the write, which the transaction rolls back
 * @throws ServiceError CONFLICT
 */
async function withFace<Result extends { data: Adapter }>(
  call: WriteContext<'orchestrator'>,
  stored: Promise<Result>,
): Promise<Result> {
  const result = await stored;
  const { type, properties } = result.data.properties;
  const face = FaceSettings.safeParse(properties?.face);
  if (face.success) await assertTypeIsFree(call, face.data.type, 'face', type);
  return result;
}

/** Returns an integration with masked secrets, and its ETag in the headers. @throws ServiceError NOT_FOUND */
export async function getIntegration(
  call: WriteContext<'orchestrator'>,
  name: string,
): Promise<AdapterEntry> {
  await integrationRow(call, name);
  return getAdapter(call, name);
}

/**
 * Stores a new integration, which starts at once. Fields of the connection that are not given come from its model.
 *
 * @returns a confirmation with the integration, its secrets masked
 * @throws ServiceError CONFLICT when the name is taken; BAD_REQUEST with all issues, among them an unknown model
 */
export async function createIntegration(call: WriteContext<'orchestrator'>, sent: SentIntegration) {
  const { document, inRequest } = taken(sent);
  const { type } = document.properties;
  const model = await connectionOfModel(call.db, type);
  if (!model) {
    throw invalid(
      [...inRequest(['properties', 'type'])],
      `${type} is no integration model: POST /integration-models stores one`,
      'unknown',
    );
  }
  const connection = merge(model.template, connectionOf(document.properties));
  const whole = { ...document, properties: { ...document.properties, properties: connection } };
  return withFace(call, createAdapter(call, whole, findAdapterType, inRequest));
}

/**
 * Replaces an integration.
 *
 * @param sent the whole document; fields that it lacks are removed, except name and model
 * @returns a confirmation with the integration, its secrets masked
 * @throws ServiceError NOT_FOUND; otherwise as replaceAdapter
 */
export async function replaceIntegration(call: WriteContext<'orchestrator'>, name: string, sent: JsonObject) {
  const { doc } = await integrationRow(call, name);
  const own = { id: name, type: doc.properties.type };
  const settings = isObject(sent.properties) ? { ...own, ...sent.properties } : (sent.properties ?? own);
  const { document } = taken({ properties: { name, ...sent, properties: settings } });
  return withFace(call, replaceAdapter(call, name, document, findAdapterType));
}

/**
 * Merges settings into the connection of an integration.
 *
 * @param sent settings to merge, recursively for objects; null removes a field
 * @returns a confirmation with the integration, its secrets masked
 * @throws ServiceError NOT_FOUND; otherwise as updateConnection
 */
export async function updateIntegration(call: WriteContext<'orchestrator'>, name: string, sent: JsonObject) {
  await integrationRow(call, name);
  return withFace(call, updateConnection(call, name, sent, findAdapterType));
}

/**
 * Deletes an integration, and the tokens that it fetched.
 *
 * @returns a confirmation that names the integration
 * @throws ServiceError NOT_FOUND
 */
export async function deleteIntegration(call: WriteContext<'orchestrator'>, name: string) {
  await integrationRow(call, name);
  return deleteAdapter(call, name, false);
}

/** Returns the JSON schema of the connection, by the name of an integration or a versionId. @throws ServiceError NOT_FOUND */
export async function getIntegrationSchema(call: Pick<ReadContext, 'db'>, name: string) {
  const type = await findAdapterType(call.db, name);
  if (!type?.virtual) await integrationRow(call, name);
  return getConnectionSchema(call, name, findAdapterType);
}

/** Returns the row of an integration. @throws ServiceError NOT_FOUND */
export async function integrationRow({ db }: Pick<ReadContext, 'db'>, name: string) {
  const [row] = await readAdapters(db, eq(adapters.id, name));
  if (!row || !isIntegration(row.doc)) throw notFound('Integration', name);
  return row;
}

/** Returns a sent integration that meets the schema of adapters. @throws ServiceError BAD_REQUEST with all issues */
function taken(sent: SentIntegration) {
  const one = takenIntegration(sent, { modelNameOf, versionIdIn });
  const { error } = Adapter.safeParse(one.document);
  if (!error) return one;
  const at = (path: Path) => [...one.inRequest(path)];
  throw invalidRequest(issuesOf(error).map((issue) => ({ ...issue, path: at(issue.path) })));
}
