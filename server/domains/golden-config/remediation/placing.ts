import { namedList } from './commands/acl-replacement.ts';
import { type CompiledPlatform, found, type Words } from './commands/compiled-platform.ts';
import { lineWords } from './line-path.ts';
import type { Section } from './sections.ts';

/**
 * How lines below a line can change. `anywhere`: their order can be chosen. `behind`: new ones come last, any of them
 * can go. `last`: new ones come last, and none may go or move while the list is in use.
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
 * How lines below these can change.
 *
 * @param above words of the lines above, from the outermost on
 * @param top the outermost of these lines, where it is there already
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

/** Whether a line opens a list whose entries are tried in their order, as far as its words tell. */
const isSequence = (words: readonly string[]): boolean =>
  words.slice(0, 3).some((word) => SEQUENCES.has(word));

/** Whether a line is itself an entry of such a list; taking it back may take the whole list. */
export const isEntry = (text: string): boolean => lineWords(text)[0] === 'access-list';

/** The number that an entry begins with. */
export function numberOf(text: string): number | null {
  const [first = ''] = text.split(' ', 1);
  return /^\d{1,10}$/.test(first) ? Number(first) : null;
}
