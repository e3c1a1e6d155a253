import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';

/** The content codings that `contentOf` decodes, as `Accept-Encoding` names them (RFC 9110 §12.5.3). */
export const ACCEPTED_CODINGS = 'gzip, br';

/**
 * Returns the decoded content of a response; null when its coding was not accepted.
 *
 * @param method of the request: HEAD has no content
 */
export function contentOf(got: IncomingMessage, method: string): Readable | null {
  const coding = (got.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  // Some servers name a coding for a body that has no bytes, not even those of the coding.
  const isEmpty =
    method === 'HEAD' ||
    got.statusCode === 204 ||
    got.statusCode === 304 ||
    got.headers['content-length'] === '0';
  if (coding === 'identity' || coding === '' || isEmpty) return got;
  if (coding === 'gzip' || coding === 'x-gzip') return got.pipe(createGunzip());
  return coding === 'br' ? got.pipe(createBrotliDecompress()) : null;
}
