import {
  CalculationError,
  type CalculationPool,
  openCalculationPool,
} from '#server/kernel/calculations/calculation-pool.ts';
import { invalidRequest, ServiceError } from '#server/kernel/errors.ts';
import type { TaskSchemas } from './bundle.ts';
import type { BundleInput } from './bundle-stored.service.ts';
import type { DocumentReadError } from './document-text.ts';
import type { ReadModel, ReadResult } from './read-model.service.ts';

/** One document at a time, in a thread of its own: the largest ones take seconds, and other calculations must not wait for them. */
const imports = openCalculationPool(1, 768);
/** The schemas of tasks, which users wait for while documents are imported. */
const schemas = openCalculationPool(1, 512);

/** The time of a document, in milliseconds, and how many may wait. A large one in YAML takes most of it. */
const LIMIT = { ms: 30_000, waiting: 10 };

/**
 * Reads and compiles a document in a thread.
 *
 * @param sent the document, or its text as JSON or YAML, also with the document in its field `model`
 * @throws ServiceError PARSE_ERROR, BAD_REQUEST with every issue, PAYLOAD_TOO_LARGE, TOO_MANY_REQUESTS
 */
export async function readSentModel(sent: string | object): Promise<ReadModel> {
  const text = typeof sent === 'string' ? sent : JSON.stringify(sent);
  const read = (await inThread(imports, 'integration model', text)) as ReadResult;
  if ('error' in read) throw errorOf(read.error);
  return read.read;
}

/**
 * Returns the schemas of a task with what they refer to, calculated in a thread.
 *
 * @throws ServiceError BAD_REQUEST when that takes too long or too much memory, TOO_MANY_REQUESTS
 */
export const bundleInThread = async (input: BundleInput): Promise<TaskSchemas> =>
  (await inThread(schemas, 'schemas of an integration task', input)) as TaskSchemas;

async function inThread(pool: CalculationPool, name: string, input: unknown): Promise<unknown> {
  try {
    return await pool.calculate(name, input, LIMIT);
  } catch (error) {
    if (!(error instanceof CalculationError)) throw error;
    if (error.reason !== 'busy') throw errorOf({ code: 'BAD_REQUEST', issues: [costly(error.message)] });
    throw new ServiceError('TOO_MANY_REQUESTS', error.message, { headers: { 'Retry-After': '2' } });
  }
}

const costly = (message: string) => ({
  path: ['model'],
  message: `${message}: split it`,
  code: 'too_costly',
});

function errorOf({ code, issues }: DocumentReadError): ServiceError {
  const { message, issues: shown } = invalidRequest(issues, 'The document is not valid');
  return new ServiceError(code, message, { issues: shown });
}
