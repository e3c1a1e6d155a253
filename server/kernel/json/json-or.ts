/** Parses JSON text; returns `otherwise` when it is invalid. */
export function jsonOr(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}
