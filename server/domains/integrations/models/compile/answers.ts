import { isObject } from '#server/kernel/json/objects.ts';
import type { ApiOperation } from '../../api-operation.ts';
import { follow, UnusableOperation } from './references.ts';

const JSON_TYPE = 'application/json';

/**
 * Returns the media types that a document promises for the answers of an operation, by status (`200`, `2XX`, `default`);
 * undefined when it promises none. Answers of errors are left out: other systems rarely send what their document says.
 *
 * @param document the document, for references
 * @param responses property `responses` of the operation
 * @param produces property `produces` of the operation, or of a document of Swagger 2.0; absent: JSON where there is a schema
 */
export function readAnswers(
  document: object,
  responses: unknown,
  produces: unknown,
): ApiOperation['answers'] {
  if (!isObject(responses)) return undefined;
  const found: [string, readonly string[]][] = [];
  for (const [status, value] of Object.entries(responses)) {
    if (!/^([23]\d\d|[23]XX|default)$/.test(status)) continue;
    const types = mediaTypesOf(document, value, produces);
    if (types.length > 0) found.push([status, types]);
  }
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

function mediaTypesOf(document: object, value: unknown, produces: unknown): readonly string[] {
  try {
    const response = follow(document, value, 'the answer');
    if (isObject(response.content)) return Object.keys(response.content);
    if (!isObject(response.schema)) return [];
    const types = Array.isArray(produces) ? produces.filter((type) => typeof type === 'string') : [];
    return types.length > 0 ? types : [JSON_TYPE];
  } catch (error) {
    // Calls do without: what an answer should be hinders no operation.
    if (error instanceof UnusableOperation) return [];
    throw error;
  }
}
