import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '#server/kernel/errors.ts';
import type { Meta } from '#server/kernel/procedures.ts';
import { spreadsheetText } from '#server/kernel/text/spreadsheet-text.ts';
import { assertFewValues, importedValues, MOST_VALUES } from './body-values.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Largest body of an endpoint without a credential, in bytes (contract/decisions#public-endpoints). */
export const PUBLIC_BODY_BYTES = 16 * KIB;
/** Time in which the body of such an endpoint must arrive, in milliseconds. */
const PUBLIC_BODY_MS = 10_000;

/**
 * Least progress of any body: bytes that must arrive in each period, in milliseconds. Whoever sends byte by byte would hold a
 * connection and what has arrived for as long as Node allows.
 */
const SLOWEST = { bytes: KIB, ms: 30_000 };

/** The largest size of a request body, and how long it may take to arrive. */
export type BodyLimit = { bytes: number; ms?: number; isImport?: boolean };

/** Returns the limit of a procedure's body; `body` and `import` are the configured limits in bytes. */
export function bodyLimitOf(meta: Meta | undefined, limits: { body: number; import: number }): BodyLimit {
  if (meta?.audience === 'public') {
    return { bytes: Math.min(PUBLIC_BODY_BYTES, limits.body), ms: PUBLIC_BODY_MS };
  }
  return meta?.bodyLimit === 'import' ? { bytes: limits.import, isImport: true } : { bytes: limits.body };
}

/** Requests whose client waits for `100 Continue` before it sends the body. */
const expectsContinue = new WeakMap<IncomingMessage, ServerResponse>();

/** Delays `100 Continue` until the body is read: the client of a denied request never sends its body. */
export const holdContinue = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
  expectsContinue.set(incoming, outgoing);
};

const declaredLength = ({ headers }: IncomingMessage): number => Number(headers['content-length'] ?? 0);

/** Returns whether the request has a body: a GET may have one too (contract/lifecycle#0.2.3). */
export const hasBody = (incoming: IncomingMessage) =>
  incoming.headers['transfer-encoding'] !== undefined || declaredLength(incoming) > 0;

/**
 * Reads the body as text, never holding more bytes than the limit.
 *
 * @param types media types that the endpoint accepts
 * @returns the text; of CSV, decoded from the encodings that spreadsheets write
 * @throws ServiceError 415 for another type, an unknown charset or an encoded body, 413 over the limit, 400 when it is not UTF-8 or too slow
 * @see contract/decisions#content-type
 */
export async function readText(
  incoming: IncomingMessage,
  types: readonly string[],
  limit: BodyLimit,
): Promise<string> {
  assertType(incoming, types);
  assertWithin(incoming, limit);
  const bytes = await readBytes(incoming, limit);
  return types.includes('text/csv') ? spreadsheetText(bytes, charsetOf(incoming)) : utf8(bytes);
}

/** Returns the encoding that the request names for a CSV file; JSON has no other than UTF-8. */
const charsetOf = ({ headers }: IncomingMessage): string | undefined =>
  /^text\/csv\s*;(?:.*;)?\s*charset\s*=\s*"?([^\s";]+)/i.exec(headers['content-type'] ?? '')?.[1];

/**
 * Returns the text of a body.
 *
 * @param bytes the whole body
 * @throws ServiceError PARSE_ERROR when it is not UTF-8
 */
export function utf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new ServiceError('PARSE_ERROR', 'The body is not valid UTF-8');
  return bytes.toString('utf8');
}

/** Rejects a body whose declared length is over the limit. @throws ServiceError PAYLOAD_TOO_LARGE */
export function assertWithin(incoming: IncomingMessage, { bytes }: BodyLimit): void {
  if (declaredLength(incoming) > bytes) throw overLimit(bytes);
}

/**
 * Reads the bytes of the body. A small one has usually arrived with its headers, and is taken at once: waiting for it takes two
 * timers, four listeners and two turns (decision 0169).
 */
async function readBytes(incoming: IncomingMessage, limit: BodyLimit): Promise<Buffer> {
  if (
    !incoming.destroyed &&
    incoming.readableLength > 0 &&
    incoming.readableLength === declaredLength(incoming)
  ) {
    // Without a length, Node 26 returns the first piece alone.
    const bytes: Buffer = incoming.read(incoming.readableLength);
    // Node takes the next request of the connection once this one has ended.
    incoming.resume();
    return bytes;
  }
  const chunks: Buffer[] = [];
  await receive(incoming, limit, (chunk) => void chunks.push(chunk));
  return Buffer.concat(chunks);
}

/**
 * Receives the body. Over the limit, the rest is discarded, so that the client can finish and read the error.
 *
 * @param take receives each chunk; the next one is read once the promise that it returns is fulfilled
 * @param pace another least progress, for tests
 */
export function receive(
  incoming: IncomingMessage,
  limit: BodyLimit,
  take: (chunk: Buffer) => Promise<void> | undefined,
  pace = SLOWEST,
): Promise<void> {
  let size = 0;
  let sizeBefore = 0;
  let taken: Promise<void> | undefined;
  // The connection may have closed while the credential was looked up: no event would come any more.
  if (incoming.destroyed) return Promise.reject(cutOff());
  expectsContinue.get(incoming)?.writeContinue();
  return new Promise((resolve, reject) => {
    const settle = (done: () => void) => {
      clearTimeout(timer);
      clearInterval(pacer);
      incoming.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut);
      done();
    };
    const onFault = (error: unknown) => settle(() => reject(error));
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit.bytes) return settle(() => reject(overLimit(limit.bytes)));
      taken = take(chunk);
      if (!taken) return;
      incoming.pause();
      taken.then(() => incoming.resume(), onFault);
    };
    const onEnd = () => {
      if (!taken) return settle(resolve);
      // A body that has arrived whole is closed, too.
      incoming.off('close', onCut);
      taken.then(() => settle(resolve), onFault);
    };
    const onCut = () => settle(() => reject(cutOff()));
    const onTime = () => settle(() => reject(tooSlow(limit.ms)));
    const pacer = setInterval(() => {
      // A body that waits for the service is not slow.
      if (size - sizeBefore < pace.bytes && !incoming.isPaused())
        settle(() => reject(new ServiceError('BAD_REQUEST', TOO_SLOW)));
      sizeBefore = size;
    }, pace.ms);
    const timer = limit.ms === undefined ? undefined : setTimeout(onTime, limit.ms);
    incoming.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut);
  });
}

/**
 * Rejects a body without a Content-Length, or over the limit, before any of it is read.
 *
 * @throws ServiceError PAYLOAD_TOO_LARGE
 */
export function assertLength(incoming: IncomingMessage, limit: BodyLimit): void {
  if (incoming.headers['transfer-encoding'] !== undefined) {
    throw new ServiceError('PAYLOAD_TOO_LARGE', 'The body has no length: send Content-Length');
  }
  assertWithin(incoming, limit);
}

const cutOff = () => new ServiceError('BAD_REQUEST', 'The body ended before it was complete');

const overLimit = (bytes: number) =>
  new ServiceError('PAYLOAD_TOO_LARGE', `The body is larger than the limit of ${sizeText(bytes)}`);

const sizeText = (bytes: number) =>
  bytes < MIB ? `${Math.round(bytes / KIB)} KiB` : `${Math.round(bytes / MIB)} MiB`;

const TOO_SLOW = 'The body arrives too slowly: less than 1 KiB in 30 s; send the request again';

const tooSlow = (ms = 0) =>
  new ServiceError('BAD_REQUEST', `The body did not arrive within ${ms / 1000} s; send the request again`);

/**
 * Rejects JSON text with more values than the procedure accepts.
 *
 * @param text of the body
 * @throws ServiceError PAYLOAD_TOO_LARGE
 */
export const assertValues = (text: string, { isImport }: BodyLimit): void =>
  assertFewValues(text, isImport ? importedValues(text.length) : MOST_VALUES);

/**
 * Parses JSON text.
 *
 * @returns the value, of any type
 * @throws ServiceError PARSE_ERROR with the position that the parser reports; PAYLOAD_TOO_LARGE for too many values
 */
export function readJson(text: string, limit: BodyLimit): unknown {
  assertValues(text, limit);
  return parseJson(text.startsWith('\uFEFF') ? text.slice(1) : text, 'The body');
}

/**
 * Parses JSON text.
 *
 * @param text without a byte order mark
 * @param what name of the text in the message of an error, such as `The body`
 * @returns the value, of any type
 * @throws ServiceError PARSE_ERROR with the position that the parser reports
 */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const where =
      cause instanceof Error ? (/at position \d+|Unexpected end/.exec(cause.message)?.[0] ?? '') : '';
    throw new ServiceError('PARSE_ERROR', `${what} is not JSON ${where}`.trimEnd(), { cause });
  }
}

/**
 * Rejects a body of another media type, or an encoded one.
 *
 * @param types media types that the endpoint accepts, in lower case
 * @throws ServiceError UNSUPPORTED_MEDIA_TYPE
 */
export function assertType({ headers }: IncomingMessage, types: readonly string[]): void {
  const given = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!types.includes(given)) {
    const shown = given ? `not ${given.slice(0, 80)}` : 'and the request has no Content-Type';
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', `The body must be ${types.join(' or ')}, ${shown}`);
  }
  const encoding = headers['content-encoding'] ?? '';
  if (encoding !== '' && encoding.toLowerCase() !== 'identity') {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed');
  }
}
