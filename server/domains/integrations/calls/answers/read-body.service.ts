import { NO_JSON, parseOutsideJson } from '#server/kernel/calculations/outside-json.ts';
import { isJsonType } from '../request/media-types.ts';
import { bodyValue } from './answer.ts';

/** The body of an answer as a value. */
export type ReadBody = {
  /** Parsed JSON, text, `{base64, size}` for other media types, null without a body. */
  body: unknown;
  /** Whether it is JSON by its media type and cannot be parsed; `body` is its text then. */
  isBroken: boolean;
  /** Values that the JSON consists of; 0 for other media types. */
  values: number;
};

/**
 * Reads the body of an answer by its media type.
 *
 * @param bytes the body, decompressed
 * @param mediaType header `Content-Type`, "" without one
 * @param most values that JSON may consist of
 * @throws JsonTooLarge
 */
export async function readBody(
  bytes: Buffer,
  status: number,
  mediaType: string,
  most: number,
): Promise<ReadBody> {
  if (bytes.length === 0 || status === 204 || !isJsonType(mediaType))
    return { body: bodyValue(bytes, status, mediaType), isBroken: false, values: 0 };
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  const { value, values } = await parseOutsideJson(text, most);
  const isBroken = value === NO_JSON;
  return { body: isBroken ? text : value, isBroken, values };
}
