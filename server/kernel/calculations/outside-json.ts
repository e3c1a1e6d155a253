import { type JsonMeasure, measureJson } from '../json/json-excess.ts';
import { jsonOr } from '../json/json-or.ts';
import { joinPieces, type MeasuredPieces } from '../json/pieces.ts';
import { CalculationError, openCalculationPool } from './calculation-pool.ts';

/** Characters of JSON from which on a text is parsed in a thread: below, the way there and back takes longer. */
const LARGE = 1024 * 1024;
/** Deepest nesting, as of a request: nothing deeper can be stored or answered. */
const DEEPEST = 200;

/** A thread that parses large texts, one at a time; the largest, 64 MiB, needs some 600 MiB. */
const pool = openCalculationPool(1, 1024);
const LIMIT = { ms: 30_000, waiting: 1000 };

/** Thrown for JSON beyond a limit; the message names the limit. */
export class JsonTooLarge extends Error {}

/** Returned for a text that is no JSON. */
export const NO_JSON = Symbol('no JSON');

/** A value that another system sent as JSON, or NO_JSON, and how many values it consists of. */
export type OutsideJson = { value: unknown; values: number };

/**
 * Parses JSON that another system sent. A large text is measured and parsed in a thread and put together in steps, so that other
 * requests have their turn.
 *
 * @param sent the text; a byte order mark at its beginning is ignored (RFC 8259 §8.1)
 * @param most values that it may hold
 * @throws JsonTooLarge
 */
export async function parseOutsideJson(sent: string, most: number): Promise<OutsideJson> {
  const text = sent.replace(/^\uFEFF/, '');
  const bounds = { levels: DEEPEST, values: most };
  if (text.length < LARGE) {
    const { values, excess } = measureJson(text, bounds);
    assertWithin(excess, most);
    return { value: jsonOr(text, NO_JSON), values };
  }
  try {
    const measured = await pool.calculate('pieces of JSON', { text, bounds }, LIMIT);
    const { values, excess, pieces } = measured as MeasuredPieces;
    assertWithin(excess, most);
    return { value: pieces === null ? NO_JSON : await joinPieces(pieces), values };
  } catch (error) {
    if (error instanceof CalculationError) throw new JsonTooLarge(`parsing it ${error.message}`);
    throw error;
  }
}

function assertWithin(excess: JsonMeasure['excess'], most: number): void {
  if (excess === 'levels') throw new JsonTooLarge(`it is nested more than ${DEEPEST} levels deep`);
  if (excess) throw new JsonTooLarge(`it has more than ${most.toLocaleString('en-US')} values`);
}
