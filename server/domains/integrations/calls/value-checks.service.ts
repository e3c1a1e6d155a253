import type { Database } from '#db/client.ts';
import { type Issue, invalid, invalidRequest } from '#server/kernel/errors.ts';
import { isAbsent, isObject } from '#server/kernel/json/objects.ts';
import { SchemaError } from '#server/kernel/validation/json-schema.ts';
import { checkBySchema, SCHEMA_LIMITS } from '#server/kernel/validation/schema-checks.ts';
import type { ApiOperation } from '../api-operation.ts';
import { getTaskSchemas } from '../models/model-tasks.service.ts';
import { essenceOf, isJsonType } from './request/media-types.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * Checks the values of a call against the schemas of the model's document, away from the event loop.
 *
 * @throws ServiceError BAD_REQUEST with all issues, or when a schema cannot be used
 */
export async function assertValues(
  db: Database,
  versionId: string,
  operation: ApiOperation,
  values: Values,
): Promise<void> {
  const { incoming } = await getTaskSchemas(db, versionId, operation.name);
  const checked = Object.entries(incoming).filter(
    ([name]) => !isAbsent(values[name]) && (name !== 'requestBodyPayload' || isUsualBody(operation, values)),
  );
  const schema = {
    type: 'object',
    properties: Object.fromEntries(checked.map(([name, { schema: one }]) => [name, one])),
  };
  const sent = Object.fromEntries(checked.map(([name]) => [name, values[name]]));
  try {
    const issues = await checkBySchema(schema, sent, SCHEMA_LIMITS.task);
    if (issues.length > 0)
      throw invalidRequest(issues, `The values of ${operation.name} do not meet its schemas`);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    throw invalid(['values'], `cannot be checked against the schemas of ${operation.name}: ${error.message}`);
  }
}

/**
 * Compares the body of an answer with the schema of the model's document, away from the event loop.
 *
 * @returns the issues, their paths within the body; none where the schema cannot be used
 */
export async function bodyIssues(
  db: Database,
  versionId: string,
  operation: ApiOperation,
  body: unknown,
): Promise<readonly Issue[]> {
  const { outgoing } = await getTaskSchemas(db, versionId, operation.name);
  const response = outgoing.response?.properties;
  const schema = isObject(response) ? response.body : undefined;
  if (!isObject(schema)) return [];
  try {
    return await checkBySchema(schema, body, SCHEMA_LIMITS.task);
  } catch (error) {
    if (error instanceof SchemaError) return [];
    throw error;
  }
}

/** Returns whether the body is JSON in the media type whose schema the task has. */
function isUsualBody({ body }: ApiOperation, { bodyContentType, requestBodyPayload }: Values): boolean {
  const usual = body?.contents.find(({ mediaType }) => isJsonType(mediaType))?.mediaType;
  if (!usual || typeof requestBodyPayload === 'string') return false;
  return isAbsent(bodyContentType) || essenceOf(String(bodyContentType)) === essenceOf(usual);
}
