import { clipped } from '../text/clipped.ts';

/** Characters that are not text: controls, line and paragraph separators, and invisible format characters. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Returns text that can be shown in a list or on a terminal: every control and format character is replaced.
 *
 * @param text from a device, a user or another system
 * @param most characters that are kept
 */
export const printable = (text: string, most: number): string =>
  clipped(text, most).replace(UNPRINTABLE, '\uFFFD');
