/** Splits a text at its commas. */
export const words = (text: string): string[] => text.trim().split(/,\s+/);
