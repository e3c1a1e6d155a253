/** What a text of JSON holds: an object, or why it is none. */
export type ParsedObject =
  | { value: Record<string, unknown>; problem?: undefined }
  | { value?: undefined; problem: string };

/** Characters that word processors put in place of those of JSON. */
const TYPESET = /[\u00a0\u2018-\u201f\u00ab\u00bb]/;

/** Returns why a text is not valid JSON. @param error that the parser threw */
export function jsonProblem(text: string, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return TYPESET.test(text)
    ? `${message}. The text has typographic quotes or no-break spaces, as word processors write them: JSON needs " and plain spaces.`
    : message;
}

/** Reads an object written as JSON; an empty text is an empty object. */
export function parseObject(text: string): ParsedObject {
  if (text.trim() === '') return { value: {} };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { value: value as Record<string, unknown> };
    }
    return { problem: 'The text must be a JSON object: {"name": value}' };
  } catch (error) {
    return { problem: jsonProblem(text, error) };
  }
}
