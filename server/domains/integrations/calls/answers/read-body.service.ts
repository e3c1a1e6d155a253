import { CalculationError, openCalculationPool } from '#server/kernel/calculations/calculation-pool.ts';
import { jsonOr } from '#server/kernel/json/json-or.ts';
import { type JsonPieces, joinPieces } from '#server/kernel/json/pieces.ts';
import { isJsonType } from '../request/media-types.ts';
import { bodyValue } from './answer.ts';

/** Bytes of JSON from which on an answer is parsed in a thread: below, the way there and back takes longer. */
const LARGE = 1024 * 1024;

/** A thread that parses large answers, one at a time; the largest answer, 64 MiB, needs some 600 MiB. */
const pool = openCalculationPool(1, 1024);
const LIMIT = { ms: 30_000, waiting: 1000 };

/** The body of an answer as a value. */
export type ReadBody = {
  /** Parsed JSON, text, `{base64, size}` for other media types, null without a body. */
  body: unknown;
  /** Whether it is JSON by its media type and cannot be parsed; `body` is its text then. */
  isBroken: boolean;
};

/** Thrown when an answer cannot be parsed within the limits of a thread. */
export class AnswerTooLarge extends Error {}

const BROKEN = Symbol('no JSON');

/**
 * Reads the body of an answer by its media type. Large JSON is parsed in a thread and put together in steps, so that other
 * requests have their turn.
 *
 * @param bytes the body, decompressed
 * @param mediaType header `Content-Type`, "" without one
 * @throws AnswerTooLarge
 */
export async function readBody(bytes: Buffer, status: number, mediaType: string): Promise<ReadBody> {
  if (bytes.length === 0 || status === 204 || !isJsonType(mediaType))
    return { body: bodyValue(bytes, status, mediaType), isBroken: false };
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  const value = bytes.length < LARGE ? jsonOr(text, BROKEN) : await parsedInThread(text);
  return value === BROKEN ? { body: text, isBroken: true } : { body: value, isBroken: false };
}

async function parsedInThread(text: string): Promise<unknown> {
  try {
    const pieces = (await pool.calculate('pieces of JSON', text, LIMIT)) as JsonPieces | null;
    return pieces === null ? BROKEN : await joinPieces(pieces);
  } catch (error) {
    if (error instanceof CalculationError) throw new AnswerTooLarge(`parsing it ${error.message}`);
    throw error;
  }
}
