import { type CompiledPlatform, found, mayHaveEntry, type Words } from './compiled-platform.ts';

/** Returns the text of a line for commands: without the block below it. */
const headOf = (text: string): string => {
  const end = text.indexOf('\n');
  return end === -1 ? text : text.slice(0, end);
};

/**
 * Returns the command that negates a line.
 *
 * @param words of the line and of those above it
 */
export function negated(text: string, words: Words, platform: CompiledPlatform): string {
  const own = found(platform.negates, words);
  if (own) return filled(own.value, words.at(-1) ?? []);
  return negatedHead(text, platform);
}

/** Returns the same for a line without a negation rule of its own. */
export const negatedHead = (text: string, platform: CompiledPlatform): string =>
  swapped(headOf(text), platform);

/** Prefix of a comment about a line that only a user can remove. */
export const NOT_NEGATED = '# cannot be negated: ';

/** Negates a line, or removes its negation; a line that no command negates becomes a comment. */
export function swapped(text: string, { dialect, declaration, rules }: CompiledPlatform): string {
  const { negation } = dialect;
  if (!rules.removes) return `${NOT_NEGATED}${text}`;
  if (rules.form === 'paths') return swappedPath(text);
  if (text.startsWith(negation)) return `${declaration}${text.slice(negation.length)}`;
  return `${negation}${text}`;
}

const OPPOSITES: readonly (readonly [string, string])[] = [
  ['set ', 'delete '],
  ['delete ', 'set '],
  ['deactivate ', 'activate '],
  ['activate ', 'deactivate '],
  ['protect ', 'unprotect '],
];

function swappedPath(text: string): string {
  for (const [verb, opposite] of OPPOSITES) {
    if (text.startsWith(verb)) return `${opposite}${text.slice(verb.length)}`;
  }
  return `delete ${text}`;
}

const PLACES = /\{(?:(\d+)(-)?(\d+)?)?\}/g;

/** Fills the placeholders of a template with words of a line. */
function filled(template: string, words: readonly string[]): string {
  return template.replaceAll(PLACES, (_, first?: string, range?: string, last?: string) => {
    if (first === undefined) return words.join(' ');
    if (range === undefined) return words.slice(0, Number(first)).join(' ');
    return words.slice(Number(first) - 1, last === undefined ? undefined : Number(last)).join(' ');
  });
}

/** Returns whether a line may replace another, by its first word and its depth, 1 at the top. */
export const mayReplace = (
  text: string,
  { replaces, replacesNegated, dialect }: CompiledPlatform,
  depth: number,
): boolean =>
  mayHaveEntry(replaces, text, depth) ||
  mayHaveEntry(replacesNegated, text, depth) ||
  (text.startsWith(dialect.negation) &&
    mayHaveEntry(replacesNegated, text.slice(dialect.negation.length), depth));

/**
 * Returns a key that a line shares with the lines that it replaces; null when it replaces none.
 *
 * @param words of the line and of those above it
 */
export function replacementKey(words: Words, platform: CompiledPlatform): string | null {
  const { replaces, replacesNegated, adds, dialect } = platform;
  const last = words.at(-1) ?? [];
  if (platform.rules.replacesNegated) {
    const bare = `${last[0]} ` === dialect.negation ? last.slice(1) : last;
    const either = found(replacesNegated, [...words.slice(0, -1), bare]);
    if (either) return bare.slice(0, either.matched).join(' ');
  }
  const one = found(replaces, words);
  if (!one || found(adds, words)) return null;
  return last.slice(0, one.matched).join(' ');
}
