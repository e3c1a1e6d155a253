/** The order of a list: its field, and 1 for ascending or -1 for descending. */
export type Sort = { field: string; order: 1 | -1 };

/** Returns the order that an address names: `name`, or `-name` for descending. */
export function sortOf(text: string | undefined): Sort | undefined {
  if (!text) return undefined;
  return text.startsWith('-') ? { field: text.slice(1), order: -1 } : { field: text, order: 1 };
}
