const each = (parts: string[]) => [...new Set(parts.map((part) => part.trim()).filter(Boolean))];

/** Returns the names in a text with one name a line, each once. */
export const namesIn = (text: string): string[] => each(text.split('\n'));

/** Returns the words in a text, separated by commas, each once. */
export const wordsIn = (text: string): string[] => each(text.split(','));

/** Completions that a field offers at most. */
const MOST_OPTIONS = 50;

/** Returns the texts that a field may become: what was typed before the last comma, and one name that is not in it yet. */
export function completionsOf(text: string, known: readonly string[]): string[] {
  const comma = text.lastIndexOf(',');
  const before = comma < 0 ? '' : `${text.slice(0, comma)}, `;
  const typed = text
    .slice(comma + 1)
    .trim()
    .toLowerCase();
  const chosen = new Set(wordsIn(text.slice(0, Math.max(0, comma))));
  return known
    .filter((name) => !chosen.has(name) && !name.includes(',') && name.toLowerCase().includes(typed))
    .slice(0, MOST_OPTIONS)
    .map((name) => before + name);
}
