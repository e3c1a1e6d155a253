import type { z } from 'zod';
import { invalid, invalidRequest } from '#server/kernel/errors.ts';
import { measureJson } from '#server/kernel/json/json-excess.ts';
import { assertStorable } from '#server/kernel/validation/input-sanity.ts';
import { issuesOf } from '#server/kernel/validation/zod-issues.ts';

/** Most values in the JSON of a file, as of an import; a longer file may hold one value per this many characters. */
const MOST_VALUES = 1_000_000;
const CHARACTERS_A_VALUE = 16;

/** Parses a file as JSON and checks it. @throws ServiceError BAD_REQUEST */
export function parsed<Schema extends z.ZodType>(
  schema: Schema,
  text: string | undefined = '',
): z.output<Schema> {
  // Tens of millions of values in a file of permitted size would hold up the thread for longer than it may be silent.
  const values = Math.max(MOST_VALUES, Math.floor(text.length / CHARACTERS_A_VALUE));
  if (measureJson(text, { values }).excess !== null)
    throw invalid([], `the file has more than ${values.toLocaleString('en-US')} values`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid([], 'the file is not JSON');
  }
  assertStorable(value);
  const read = schema.safeParse(value);
  if (read.error) throw invalidRequest(issuesOf(read.error), 'The file is not valid');
  return read.data;
}

/**
 * Rejects a document whose file has another name than it should.
 *
 * @param path path of the file in the repository
 * @param expected path that the document's name and kind determine
 * @throws ServiceError BAD_REQUEST
 */
export function assertPath(path: string, expected: string): void {
  if (path !== expected) throw invalid(['name'], `the file of this document must be ${expected}`);
}
