/** Parses JSON text; returns `otherwise` when it is invalid. @param text of any content */
export function jsonOr(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}
