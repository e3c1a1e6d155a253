/** Returns a text without its percent-encoding; `otherwise` where the encoding is invalid. */
export function percentDecoded<Otherwise>(text: string, otherwise: Otherwise): string | Otherwise {
  try {
    return decodeURIComponent(text);
  } catch {
    return otherwise;
  }
}
