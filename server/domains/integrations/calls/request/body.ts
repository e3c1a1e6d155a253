import { isAbsent, isObject } from '#server/kernel/json/objects.ts';
import type { BodyContent, FieldEncoding, OperationBody } from '../../api-operation.ts';
import { bytesOf } from './body-bytes.ts';
import { covers, essenceOf, isJsonType, isMediaType, isTextType } from './media-types.ts';
import { type EncodedBody, multipartOf } from './multipart.ts';
import { encodeStrictly, pairsOf } from './parameter-text.ts';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

/** Returns the content that a task uses when `bodyContentType` is absent: the first JSON one, else the first. */
export const defaultContent = ({ contents }: OperationBody): BodyContent | undefined =>
  contents.find(({ mediaType }) => isJsonType(mediaType)) ?? contents[0];

/** Returns the content for a media type, with the type to send; a string says why there is none. */
export function chosenContent(
  body: OperationBody,
  wanted: unknown,
): { content: BodyContent; mediaType: string } | string {
  const { contents } = body;
  const types = contents.map(({ mediaType }) => mediaType).join(', ');
  if (isAbsent(wanted)) {
    const content = defaultContent(body);
    if (!content) return 'the operation accepts no media type';
    return { content, mediaType: content.mediaType.includes('*') ? JSON_TYPE : content.mediaType };
  }
  // A range such as `*/*` is what the document offers, and what workflows of other systems hold.
  const range = contents.find(({ mediaType }) => mediaType === wanted && mediaType.includes('*'));
  if (range && covers(range.mediaType, JSON_TYPE)) return { content: range, mediaType: JSON_TYPE };
  if (range) return `must be a media type that ${types} covers`;
  if (typeof wanted !== 'string' || !isMediaType(wanted)) return `must be one of ${types}`;
  const exact = contents.find(({ mediaType }) => essenceOf(mediaType) === essenceOf(wanted));
  const content = exact ?? contents.find(({ mediaType }) => covers(mediaType, wanted));
  return content ? { content, mediaType: wanted } : `must be one of ${types}`;
}

/**
 * Encodes the value of a body by its media type.
 *
 * @param boundary a text that no part of a multipart body holds
 */
export function encodedBody(
  value: unknown,
  content: BodyContent,
  mediaType: string,
  boundary: string,
): EncodedBody {
  const essence = essenceOf(mediaType);
  if (isJsonType(essence)) return { mediaType, bytes: Buffer.from(jsonText(value, content)) };
  if (essence === FORM) {
    if (typeof value === 'string') return { mediaType, bytes: Buffer.from(value) };
    if (!isObject(value)) return { field: '', fault: 'must be an object whose fields are those of the form' };
    return { mediaType, bytes: Buffer.from(formText(value, content.encoding)) };
  }
  if (essence.startsWith('multipart/')) {
    if (!isObject(value)) return { field: '', fault: 'must be an object whose fields are the parts' };
    return multipartOf(value, content, boundary);
  }
  if (isObject(value) && !isTextType(essence)) {
    const bytes = bytesOf(value);
    return typeof bytes === 'string' ? { field: '', fault: bytes } : { mediaType, bytes };
  }
  if (typeof value === 'object') return { field: '', fault: `must be text, as ${essence} is written` };
  return { mediaType, bytes: Buffer.from(String(value)) };
}

/** Returns JSON text; a text that is JSON already is sent as given, unless the schema wants a text. */
function jsonText(value: unknown, { schema }: BodyContent): string {
  if (typeof value !== 'string' || schema.type === 'string') return JSON.stringify(value);
  try {
    JSON.parse(value);
    return value;
  } catch {
    return JSON.stringify(value);
  }
}

/** Returns a form's text; fields without an encoding are written in the style `form`, exploded. */
function formText(
  fields: Readonly<Record<string, unknown>>,
  encoding: Readonly<Record<string, FieldEncoding>>,
): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== null)
    .flatMap(([name, value]) => {
      const { style = 'form', explode = style === 'form', mediaType } = encoding[name] ?? {};
      const isJson = mediaType !== undefined && isJsonType(mediaType) && typeof value === 'object';
      return pairsOf(name, isJson ? JSON.stringify(value) : value, { style, explode }, encodeForm);
    })
    .join('&');
}

/** Percent-encodes for a form, in which a space is `+` (URL standard). */
const encodeForm = (text: string) => encodeStrictly(text).replaceAll('%20', '+');
