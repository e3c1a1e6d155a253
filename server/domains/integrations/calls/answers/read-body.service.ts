import { NO_JSON, parseOutsideJson } from '#server/kernel/calculations/outside-json.ts';
import { isJsonType } from '../request/media-types.ts';
import { bodyValue } from './answer.ts';

/** The body of an answer as a value. */
export type ReadBody = {
  /** Parsed JSON, text, `{base64, size}` for other media types, null without a body. */
  body: unknown;
  /** Whether it is JSON by its media type and cannot be parsed; `body` is its text then. */
  isBroken: boolean;
};

/**
 * Reads the body of an answer by its media type.
 *
 * @param bytes the body, decompressed
 * @param mediaType header `Content-Type`, "" without one
 * @throws JsonTooLarge
 */
export async function readBody(bytes: Buffer, status: number, mediaType: string): Promise<ReadBody> {
  if (bytes.length === 0 || status === 204 || !isJsonType(mediaType))
    return { body: bodyValue(bytes, status, mediaType), isBroken: false };
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  const body = await parseOutsideJson(text);
  return body === NO_JSON ? { body: text, isBroken: true } : { body, isBroken: false };
}
