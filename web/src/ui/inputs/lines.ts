const each = (parts: string[]) => [...new Set(parts.map((part) => part.trim()).filter(Boolean))];

/** Returns the names in a text with one name a line, each once. */
export const namesIn = (text: string): string[] => each(text.split('\n'));

/** Returns the words in a text, separated by commas, each once. */
export const wordsIn = (text: string): string[] => each(text.split(','));
