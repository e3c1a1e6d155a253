/** Word processors write no-break spaces, which devices take for a part of a word. */
const each = (parts: string[]) => [
  ...new Set(parts.map((part) => part.replaceAll('\u00a0', ' ').trim()).filter(Boolean)),
];

/** Returns the names in a text with one name a line, each once. */
export const namesIn = (text: string): string[] => each(text.split('\n'));

/** Returns the words in a text, separated by commas, each once. */
export const wordsIn = (text: string): string[] => each(text.split(','));

/**
 * Splits a text at its commas. A part that begins with a double quote ends with the next one, so that it may contain commas; two
 * quotes within it are one.
 *
 * @returns the parts as they were typed, the last of which may still be open
 */
export function commaParts(text: string): string[] {
  const parts = [''];
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    const part = parts.at(-1) as string;
    if (character === ',' && !isQuoted) {
      parts.push('');
      continue;
    }
    const isPair = isQuoted && character === '"' && text[at + 1] === '"';
    if (character === '"' && !isPair && (isQuoted || part.trim() === '')) isQuoted = !isQuoted;
    parts[parts.length - 1] = part + (isPair ? '""' : character);
    if (isPair) at++;
  }
  return parts;
}

/** Returns the value of a part of `commaParts`: without the quotes around it. */
export function unquoted(part: string): string {
  const text = part.trim();
  if (!text.startsWith('"')) return text;
  const isClosed = text.length > 1 && /(^"|[^"])("")*"$/.test(text);
  return text.slice(1, isClosed ? -1 : undefined).replaceAll('""', '"');
}
