import { type CompiledPlatform, found, mayTell, type Words } from './compiled-platform.ts';

/** The text of a line, as far as commands go: without the block below it. */
const headOf = (text: string): string => {
  const end = text.indexOf('\n');
  return end === -1 ? text : text.slice(0, end);
};

/**
 * The command that takes a line back.
 *
 * @param words of the line and of those above it
 */
export function negated(text: string, words: Words, platform: CompiledPlatform): string {
  const own = found(platform.negates, words);
  if (own) return filled(own.value, words.at(-1) ?? []);
  return negatedHead(text, platform);
}

/** The same for a line that no way of its own is known for. */
export const negatedHead = (text: string, platform: CompiledPlatform): string =>
  swapped(headOf(text), platform);

/** A line negated, or freed from its negation. */
export function swapped(text: string, { dialect, declaration, rules }: CompiledPlatform): string {
  const { negation } = dialect;
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

/** A template with words of a line in its places. */
function filled(template: string, words: readonly string[]): string {
  return template.replaceAll(PLACES, (_, first?: string, range?: string, last?: string) => {
    if (first === undefined) return words.join(' ');
    if (range === undefined) return words.slice(0, Number(first)).join(' ');
    return words.slice(Number(first) - 1, last === undefined ? undefined : Number(last)).join(' ');
  });
}

/** Whether a line may take another's place, by its first word and its depth, 1 at the top. */
export const mayReplace = (
  text: string,
  { replaces, replacesNegated, dialect }: CompiledPlatform,
  depth: number,
): boolean =>
  mayTell(replaces, text, depth) ||
  mayTell(replacesNegated, text, depth) ||
  (text.startsWith(dialect.negation) && mayTell(replacesNegated, text.slice(dialect.negation.length), depth));

/**
 * What a line agrees in with those whose place it takes; null for one that takes no other's place.
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
