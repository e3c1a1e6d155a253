/**
 * Returns the beginning of a text. A character of two code units is not cut in half: PostgreSQL stores no half of one.
 *
 * @param text of any length
 * @param most maximum length in code units
 */
export const clipped = (text: string, most: number): string => text.slice(0, most).toWellFormed();
