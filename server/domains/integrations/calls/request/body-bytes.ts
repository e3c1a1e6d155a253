const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** Returns the bytes of a file or part. @returns the bytes, or a sentence part that says why there are none */
export function bytesOf({ base64, text }: Readonly<Record<string, unknown>>): Buffer | string {
  if (typeof text === 'string' && base64 === undefined) return Buffer.from(text);
  if (typeof base64 !== 'string') return 'must be {text} or {base64}';
  const packed = base64.replace(/\s+/g, '');
  return BASE64.test(packed) ? Buffer.from(packed, 'base64') : 'base64 is not valid';
}
