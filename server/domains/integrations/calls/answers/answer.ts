import { isTextType } from '../request/media-types.ts';

/** Headers of a response by name, in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Returns headers as texts, without cookies: they are credentials of the other system. */
export const textHeaders = (headers: ResponseHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name !== 'set-cookie' && name !== 'set-cookie2')
      .map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );

/**
 * Returns a body that is no JSON as a value: text, `{base64, size}` for other media types, null without a body. Content
 * without a media type that is valid UTF-8 is text.
 *
 * @param mediaType header `Content-Type`, "" without one
 */
export function bodyValue(bytes: Buffer, status: number, mediaType: string): unknown {
  if (bytes.length === 0 || status === 204) return null;
  if (isTextType(mediaType)) return decoded(bytes, mediaType);
  if (mediaType === '' && isUtf8(bytes)) return bytes.toString('utf8');
  return { base64: bytes.toString('base64'), size: bytes.length };
}

function decoded(bytes: Buffer, mediaType: string): string {
  const charset = /;\s*charset="?([\w-]+)/i.exec(mediaType)?.[1]?.toLowerCase() ?? 'utf-8';
  return bytes.toString(/^(iso-8859-1|latin1|us-ascii|windows-1252)$/.test(charset) ? 'latin1' : 'utf8');
}

const isUtf8 = (bytes: Buffer): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return !bytes.includes(0);
  } catch {
    return false;
  }
};
