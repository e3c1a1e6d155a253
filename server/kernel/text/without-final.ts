/*
 * Callers and devices choose these texts. A regular expression such as `/ +$/` starts anew at each blank of a row that is not
 * at the end: 15 kB of slashes took 0.4 s, and a megabyte would never have ended.
 */

/**
 * Returns a text without the characters of one kind at its end.
 *
 * @param text of any length
 * @param character the character that is left out, as often as it occurs there
 */
export function withoutFinal(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}

/**
 * Returns a path without the slashes at its beginning and end.
 *
 * @param path of any length
 */
export const withoutOuterSlashes = (path: string): string => withoutFinal(path, '/').replace(/^\/+/, '');
