import { ServiceError } from '#server/kernel/errors.ts';
import { measureJson } from '#server/kernel/json/json-excess.ts';

/** Most values (lists, objects and their contents) in the JSON of a body: parsing them takes a quarter of a second. */
export const MOST_VALUES = 400_000;
/**
 * Most fields of one object: each takes ten times as long as an element of a list to parse, check, copy and validate. All
 * of a body in one object took 1.5 s.
 */
const MOST_FIELDS = 50_000;
/** Fewest characters of a field: two quotes, a colon, a value and a comma. */
const SHORTEST_FIELD = 5;
/** Most values in the JSON of an import; a longer text may hold one value per this many characters. */
const MOST_IMPORTED = 1_000_000;
const CHARACTERS_A_VALUE = 16;

/**
 * Returns how many values the text of an import with this number of characters may hold.
 *
 * @param length number of characters
 */
export const importedValues = (length: number): number =>
  Math.max(MOST_IMPORTED, Math.floor(length / CHARACTERS_A_VALUE));

/**
 * Rejects JSON text with too many values, or too many fields of one object, before it is parsed: millions of empty objects
 * in a body of permitted length would block the event loop while they are parsed and checked.
 *
 * @param text need not be valid JSON
 * @param most values that it may hold
 * @throws ServiceError PAYLOAD_TOO_LARGE naming the limit that is exceeded
 */
export function assertFewValues(text: string, most: number): void {
  // A value takes at least two characters: itself and a separator.
  if (text.length <= Math.min(most * 2, MOST_FIELDS * SHORTEST_FIELD)) return;
  const { excess } = measureJson(text, { values: most, fields: MOST_FIELDS });
  if (excess === 'fields')
    throw new ServiceError(
      'PAYLOAD_TOO_LARGE',
      `An object of the body has more than ${MOST_FIELDS.toLocaleString('en-US')} fields; split it into several, or use a list`,
    );
  if (excess === 'values') throw tooManyValues(most);
}

/** Returns the error of a body with more values than the limit. @param most the limit */
export const tooManyValues = (most: number) =>
  new ServiceError(
    'PAYLOAD_TOO_LARGE',
    `The body has more than ${most.toLocaleString('en-US')} values (every list, object, field and element counts); split it into several requests`,
  );
