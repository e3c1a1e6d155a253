let known: { text: string; rest: string } | undefined;

/**
 * An OpenAPI document, served at another address: `servers` is that address alone.
 *
 * @param text the document, as JSON
 */
export function withServer(text: string, url: string): string {
  if (known?.text !== text) {
    const { servers: _, ...rest } = JSON.parse(text) as Record<string, unknown>;
    known = { text, rest: JSON.stringify(rest) };
  }
  // A document has members besides its servers: `openapi` at least.
  return `{"servers":${JSON.stringify([{ url }])},${known.rest.slice(1)}`;
}
