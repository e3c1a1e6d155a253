/**
 * Parses an object sent as JSON text, as OpenAPI tools send one: `queryOptions={"skip":50}`.
 *
 * @param value of a query
 * @returns the object; any other value unchanged
 */
export function fromJsonText(value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith('{')) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
