import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from 'hono';
import { baseHeaders, type Env } from '../rest.ts';

/** Content that does not change while the process runs. */
export type StaticAsset = {
  type: string;
  body: Buffer<ArrayBuffer>;
  etag: string;
  /** Returns the gzip-compressed content; compressed at the first request for it. */
  zipped: () => Promise<Buffer<ArrayBuffer>>;
};

const compress = promisify(gzip);

/**
 * Returns content to send, with its ETag; it is compressed at the first request for that.
 *
 * @param content the whole body
 * @param type media type, with its charset
 */
export function staticAsset(content: string | Buffer, type: string): StaticAsset {
  const body = Buffer.from(content as string);
  const etag = `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  let zipped: Promise<Buffer<ArrayBuffer>> | undefined;
  return {
    type,
    body,
    etag,
    zipped: () => {
      zipped ??= compress(body).then((bytes) => Buffer.from(bytes));
      return zipped;
    },
  };
}

/**
 * Answers GET and HEAD with a static asset: 304 when the client has it, compressed when the client accepts that.
 *
 * @param cache  the Cache-Control header
 * @param more   headers besides those of every response
 * @returns the response
 */
export async function sendStaticAsset(
  c: Context<Env>,
  { type, body, etag, zipped }: StaticAsset,
  cache: string,
  more: Record<string, string> = {},
) {
  const headers = {
    ...baseHeaders(c.env),
    ETag: etag,
    'Cache-Control': cache,
    Vary: 'Accept-Encoding',
    ...more,
  };
  if (has(c.req.header('if-none-match'), etag)) return c.body(null, 304, headers);
  const typed = { ...headers, 'Content-Type': type };
  if (!/\bgzip\b/.test(c.req.header('accept-encoding') ?? '')) return c.body(body, 200, typed);
  return c.body(await zipped(), 200, { ...typed, 'Content-Encoding': 'gzip' });
}

const has = (given: string | undefined, etag: string) =>
  given !== undefined && (given === '*' || given.includes(etag.slice('W/'.length)));
