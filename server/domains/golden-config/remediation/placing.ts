import { namedList } from './commands/acl-replacement.ts';
import { type CompiledPlatform, found, type Words } from './commands/compiled-platform.ts';
import { lineWords } from './line-path.ts';
import type { Section } from './sections.ts';

/**
 * How lines below a line can change. `anywhere`: their order can be chosen. `behind`: new ones come last, and any can be
 * removed. `last`: new ones come last, and none may be removed or moved while the list is in use.
 */
export type Placing = 'anywhere' | 'behind' | 'last';

const SEQUENCES = new Set([
  'access-list',
  'acl',
  'prefix-list',
  'ip-prefix',
  'route-map',
  'route-policy',
  'filter',
]);

/**
 * Returns how lines below these can change.
 *
 * @param above words of the lines above, outermost first
 * @param top the outermost of these lines, if it exists
 * @param root of the configuration
 */
export function placingBelow(
  above: Words,
  top: Section | undefined,
  root: Section,
  platform: CompiledPlatform,
): Placing {
  if (above.length === 0) return 'behind';
  const head = above.slice(0, 1);
  if (found(platform.overwrites, head) || found(platform.recreates, head)) return 'anywhere';
  if (platform.rules.commits) return 'behind';
  if (found(platform.sequences, head)) {
    if (above.length > 1) return 'last';
    return !top || namedList(top, root, platform) ? 'anywhere' : 'last';
  }
  return isSequence(above[0] ?? []) ? 'last' : 'behind';
}

/** Returns whether the words of a line show that it opens a list whose entries are tried in order. */
const isSequence = (words: readonly string[]): boolean =>
  words.slice(0, 3).some((word) => SEQUENCES.has(word));

/** Returns whether a line is itself an entry of such a list; its negation may remove the whole list. */
export const isEntry = (text: string): boolean => lineWords(text)[0] === 'access-list';

const NUMBERED =
  /^(?:\d{1,10}(?: comment)?(?= )|(?:rule|seq) \d{1,10}(?= (?:permit|deny)\b)|(?:ip|ipv6) prefix-list \S+ seq \d{1,10}(?= ))/;

/**
 * Returns the words by which a device identifies an entry of a list: those up to its number. A second entry with them is
 * rejected, or merged with the first. The comment of an entry has the entry's number. Null for a line without a number.
 */
export const entryKey = (text: string): string | null => NUMBERED.exec(text)?.[0] ?? null;

/** Returns whether an entry names its list, as entries of IOS prefix lists do at the top level. */
export const namesList = (text: string): boolean => /^(?:ip|ipv6) prefix-list /.test(text);

/** Returns the number that an entry begins with. */
export function numberOf(text: string): number | null {
  const [first = ''] = text.split(' ', 1);
  return /^\d{1,10}$/.test(first) ? Number(first) : null;
}
