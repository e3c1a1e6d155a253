import { isAbsent, isObject } from '#server/kernel/json/objects.ts';
import type { BodyContent } from '../../api-operation.ts';
import { bytesOf } from './body-bytes.ts';
import { isMediaType } from './media-types.ts';
import { plainText } from './parameter-text.ts';

/** A part of a multipart body. */
type Part = { name: string; filename?: string; mediaType?: string; bytes: Buffer };

/** An encoded body with its media type, or why it cannot be encoded; `field` names the field at fault. */
export type EncodedBody =
  | { mediaType: string; bytes: Buffer; field?: undefined; fault?: undefined }
  | { field: string; fault: string };

/**
 * Encodes fields as `multipart/form-data` (RFC 7578). A file is `{filename, contentType?, text | base64}`, a list is one
 * part for each element, any other object is JSON.
 *
 * @param boundary a text that no part holds
 */
export function multipartOf(
  fields: Readonly<Record<string, unknown>>,
  { encoding }: Pick<BodyContent, 'encoding'>,
  boundary: string,
): EncodedBody {
  const parts: Buffer[] = [];
  for (const [name, value] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (isAbsent(one)) continue;
      const part = partOf(name, one, encoding[name]?.mediaType?.split(',', 1)[0]?.trim());
      if (typeof part === 'string') return { field: name, fault: part };
      parts.push(head(part, boundary), part.bytes, Buffer.from('\r\n'));
    }
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  return { mediaType: `multipart/form-data; boundary=${boundary}`, bytes: Buffer.concat(parts) };
}

/** Returns a part, or why its value cannot be sent. */
function partOf(name: string, value: unknown, mediaType: string | undefined): Part | string {
  const isFile = isObject(value) && ('base64' in value || ('text' in value && 'filename' in value));
  if (!isFile) {
    const bytes = Buffer.from(plainText(value));
    const type = mediaType ?? (isObject(value) ? 'application/json' : undefined);
    return { name, bytes, ...(type && !type.includes('*') && { mediaType: type }) };
  }
  const { filename, contentType } = value;
  if (contentType !== undefined && !(typeof contentType === 'string' && isMediaType(contentType)))
    return 'contentType must be a media type';
  const bytes = bytesOf(value);
  if (typeof bytes === 'string') return bytes;
  const declared = mediaType && !mediaType.includes('*') ? mediaType : 'application/octet-stream';
  return { name, filename: plainText(filename ?? name), mediaType: contentType ?? declared, bytes };
}

function head({ name, filename, mediaType }: Part, boundary: string): Buffer {
  const file = filename === undefined ? '' : `; filename="${quoted(filename)}"`;
  const type = mediaType === undefined ? '' : `\r\nContent-Type: ${mediaType}`;
  return Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"${file}${type}\r\n\r\n`,
  );
}

/** Escapes what would end a name (HTML standard). */
const quoted = (text: string) =>
  text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22').toWellFormed();
