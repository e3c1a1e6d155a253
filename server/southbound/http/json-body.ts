import type { IncomingHttpHeaders } from 'node:http';
import { JsonTooLarge, NO_JSON, parseOutsideJson } from '#server/kernel/calculations/outside-json.ts';
import { type FailureLocation, rejectedBy } from './failures.ts';

/** Most values in the JSON of a response: as many as 16 MiB commonly have. */
const MOST_VALUES = 1_000_000;

/**
 * Returns the body of a response as a value: parsed where it is declared as JSON, else its text. JSON that does not parse stays
 * text.
 *
 * @param where the system, for errors
 * @throws ServiceError with the reason OUTPUT_LIMIT for JSON beyond the limits
 */
export async function bodyValueOf(
  text: string,
  headers: IncomingHttpHeaders,
  where: FailureLocation,
): Promise<unknown> {
  if (!/json/i.test(String(headers['content-type'] ?? ''))) return text;
  const { value } = await parseOutsideJson(text, MOST_VALUES).catch((error: unknown) => {
    if (!(error instanceof JsonTooLarge)) throw error;
    throw rejectedBy(where, `the response is too large: ${error.message}`, 'OUTPUT_LIMIT');
  });
  return value === NO_JSON ? text : value;
}
