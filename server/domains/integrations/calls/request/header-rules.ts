/** Headers that control the transport of the message: only the connection sets them. */
const CARRIAGE =
  /^(host|content-length|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|proxy-.*)$/i;
/** Name of a header (RFC 9110 §5.1). */
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** Returns why a caller may not set a header of this name. @returns the reason, to follow the name; null: it may */
export const headerNameFault = (name: string): string | null =>
  !TOKEN.test(name) || CARRIAGE.test(name) ? 'is not a header that a request may set' : null;

/** Returns why a text cannot be the value of a header. @returns the reason, to follow the name; null: it can */
export const headerValueFault = (text: string): string | null =>
  [...text].some((sign) => sign < ' ' || sign > '\u00ff' || sign === '\u007f')
    ? 'has characters that a header cannot contain'
    : null;
