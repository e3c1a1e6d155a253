import { CalculationRefused, openCalculationPool } from '#server/kernel/calculations/calculation-pool.ts';
import { refused, ServiceError } from '#server/kernel/errors.ts';
import type { DocumentRefusal } from './document-text.ts';
import type { ReadModel, ReadResult } from './read-model.ts';

/** One document at a time, in a thread of its own: the largest ones take seconds, and other calculations go on. */
const pool = openCalculationPool(1, 768);

/** The time of a document, in milliseconds, and how many may wait. A large one in YAML takes most of it. */
const LIMIT = { ms: 30_000, waiting: 10 };

/**
 * Reads and compiles a document in a thread.
 *
 * @param sent the document, or its text as JSON or YAML, also with the document in its member `model`
 * @throws ServiceError PARSE_ERROR, BAD_REQUEST with every issue, PAYLOAD_TOO_LARGE, TOO_MANY_REQUESTS
 */
export async function readSentModel(sent: string | object): Promise<ReadModel> {
  const result = await inThread('integration model', typeof sent === 'string' ? sent : JSON.stringify(sent));
  const read = result as ReadResult;
  if ('refused' in read) throw errorOf(read.refused);
  return read.read;
}

/** Runs a calculation about a document. @throws ServiceError when it exceeds its limits, or too many wait */
export async function inThread(name: string, input: unknown): Promise<unknown> {
  try {
    return await pool.calculate(name, input, LIMIT);
  } catch (error) {
    if (!(error instanceof CalculationRefused)) throw error;
    if (error.reason !== 'busy') throw errorOf({ code: 'BAD_REQUEST', issues: [costly(error.message)] });
    throw new ServiceError('TOO_MANY_REQUESTS', error.message, { headers: { 'Retry-After': '2' } });
  }
}

const costly = (message: string) => ({
  path: ['model'],
  message: `${message}: split it`,
  code: 'too_costly',
});

function errorOf({ code, issues }: DocumentRefusal): ServiceError {
  const { message, issues: shown } = refused(issues, 'The document is not valid');
  return new ServiceError(code, message, { issues: shown });
}
