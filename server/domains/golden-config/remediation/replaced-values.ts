import { words } from '#server/platforms/record/words.ts';
import type { ConfigLine, ParsedConfig } from '../parsing/config-line.ts';
import { type CompiledPlatform, found } from './commands/compiled-platform.ts';
import { lineWords } from './line-path.ts';

/** Forms of commands in which a line that is set twice stays one line. */
const IDEMPOTENT = ['lines', 'paths'];

/**
 * Returns a changed configuration without the lines that may be gone because a device keeps one value of most settings: the
 * only line of its section that begins as an added one does. A rollback from it sets these lines again, which changes
 * nothing on a device that has kept them.
 */
export function withoutReplacedValues(
  before: ParsedConfig,
  after: ParsedConfig,
  platform: CompiledPlatform,
): ParsedConfig {
  if (!IDEMPOTENT.includes(platform.rules.form)) return after;
  const root: ConfigLine[] = [];
  const open: {
    from: readonly ConfigLine[];
    to: readonly ConfigLine[];
    into: ConfigLine[];
    above: string[][];
  }[] = [{ from: before.lines, to: after.lines, into: root, above: [] }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { from, to, into, above } = next;
    const there = new Map(from.map((line) => [line.text, line]));
    const isOrdered = above.length > 0 && found(platform.sequences, above) !== undefined;
    const gone = isOrdered || from.length === 0 ? new Set() : replacedIn(there, to);
    for (const line of to) {
      if (gone.has(line)) continue;
      const twin = there.get(line.text);
      if (!twin || line.children.length === 0) {
        into.push(line);
        continue;
      }
      const copy = { ...line, children: [] };
      into.push(copy);
      open.push({
        from: twin.children,
        to: line.children,
        into: copy.children,
        above: [...above, lineWords(line.text)],
      });
    }
  }
  return { ...after, lines: root };
}

/** Returns the lines of one section whose values the lines that were added to it may have replaced. */
function replacedIn(there: ReadonlyMap<string, ConfigLine>, to: readonly ConfigLine[]): Set<ConfigLine> {
  const settings = to.filter(
    ({ children, block, end }) => children.length === 0 && !block && end === undefined,
  );
  const added = settings.filter(({ text }) => !there.has(text));
  if (added.length === 0) return new Set();
  const kept = byFirstWords(settings.filter(({ text }) => there.has(text)));
  return new Set(added.flatMap(({ text }) => replacedBy(lineWords(text), kept) ?? []));
}

/** Returns lines by their first words, one or more of them; null where several lines share these. */
function byFirstWords(lines: readonly ConfigLine[]): Map<string, ConfigLine | null> {
  const known = new Map<string, ConfigLine | null>();
  for (const line of lines) {
    for (const first of firstWords(lineWords(line.text))) known.set(first, known.has(first) ? null : line);
  }
  return known;
}

/** Most words of a line that are compared: a description may have thousands. */
const MOST_WORDS = 12;

/** Returns the first words of a line, joined: first one, then two, and so on. */
function firstWords(line: readonly string[]): string[] {
  const first: string[] = [];
  for (const word of line.slice(0, MOST_WORDS))
    first.push(first.length === 0 ? word : `${first.at(-1)} ${word}`);
  return first;
}

/** Returns the line that shares the most first words with an added one, when no other shares as many. */
function replacedBy(
  added: readonly string[],
  kept: ReadonlyMap<string, ConfigLine | null>,
): ConfigLine | undefined {
  const first = firstWords(added.slice(0, -1));
  for (let shared = first.length; shared > 0; shared--) {
    const only = kept.get(first[shared - 1] ?? '');
    if (only === undefined) continue;
    return only && isOneSetting(added, lineWords(only.text), shared) ? only : undefined;
  }
  return undefined;
}

/** Settings whose value is a text of any number of words. */
const TEXTS = new Set(['description', 'name', 'alias']);

/** Words behind which commands name one entry of a list, on every platform; and negations, which have no value. */
const ENTRIES = new Set(
  words(`
    class, community, deny, feature, helper-address, host, interface, match, member, name-server, neighbor, network, no, peer,
    permit, redistribute, remark, route, route-target, rule, server, undo, user, username`),
);

/** Returns whether two lines with the same first words may be two values of one setting. */
function isOneSetting(one: readonly string[], other: readonly string[], shared: number): boolean {
  if (ENTRIES.has(one[shared - 1] ?? '')) return false;
  if (shared === 1 && TEXTS.has(one[0] ?? '')) return true;
  const isLast = (line: readonly string[]) => shared === line.length - 1;
  if (shared === 1 ? isLast(one) && isLast(other) : isLast(one) || isLast(other)) return true;
  return VALUE.test(one[shared] ?? '') && VALUE.test(other[shared] ?? '');
}

const VALUE = /[\d"]/;
