import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '#server/errors.ts';

const MIB = 1024 * 1024;

/** Whether the request brings a body at all: a GET may have one too (lifecycle §0.2.3). */
export const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Read the body as text, never holding more than `limit` bytes.
 *
 * @param types media types that the endpoint reads
 * @throws ServiceError 415 for another type or an encoded body, 413 over the limit, 400 when it is not UTF-8
 * @see decisions §1, Content type
 */
export async function readText(
  incoming: IncomingMessage,
  types: readonly string[],
  limit: number,
): Promise<string> {
  assertType(incoming, types);
  const tooLarge = overLimit(limit);
  if (Number(incoming.headers['content-length'] ?? 0) > limit) throw tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) throw tooLarge;
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause === tooLarge) throw cause;
    throw new ServiceError('BAD_REQUEST', 'The body ended before it was complete', { cause });
  }
  const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size);
  if (!isUtf8(bytes)) throw new ServiceError('PARSE_ERROR', 'The body is not valid UTF-8');
  return bytes.toString('utf8');
}

/**
 * Refuse a body that tRPC would read whole: it has no limit of its own (stack.md §9).
 *
 * @throws ServiceError PAYLOAD_TOO_LARGE when it is over the limit or tells no length
 */
export function assertLength({ headers }: IncomingMessage, limit: number) {
  const untold = headers['transfer-encoding'] !== undefined;
  if (untold || Number(headers['content-length'] ?? 0) > limit) throw overLimit(limit);
}

const overLimit = (limit: number) =>
  new ServiceError(
    'PAYLOAD_TOO_LARGE',
    `The body is over the limit of ${Math.round(limit / MIB)} MiB, or tells no length`,
    // The rest of the body is not read: this connection cannot carry another request.
    { headers: { Connection: 'close' } },
  );

/**
 * Read JSON text.
 *
 * @throws ServiceError PARSE_ERROR with the parser's words, which name the position
 */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch (cause) {
    const where =
      cause instanceof Error ? (/at position \d+|Unexpected end/.exec(cause.message)?.[0] ?? '') : '';
    throw new ServiceError('PARSE_ERROR', `The body is not JSON ${where}`.trimEnd(), { cause });
  }
}

/**
 * Refuse a body of another type, or an encoded one.
 *
 * @throws ServiceError UNSUPPORTED_MEDIA_TYPE
 */
export function assertType({ headers }: IncomingMessage, types: readonly string[]) {
  const given = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!types.includes(given)) {
    const shown = given ? `not ${given.slice(0, 80)}` : 'and the request names none';
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', `The body must be ${types.join(' or ')}, ${shown}`);
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed');
  }
}
