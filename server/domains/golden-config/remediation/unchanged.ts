import type { ConfigLine } from '../parsing/config-line.ts';
import { type CompiledPlatform, mayTell } from './commands/compiled-platform.ts';

/** Lines that are compared as wholes nest no deeper than this: deeper ones count as changed. */
const DEEPEST = 50;

/** How far ahead the line that the two have in common next is looked for; what is not found so is compared later. */
const AHEAD = 8;

/** What the lines that were left out begin with, by the line above them; null is the top. */
export type Unchanged = ReadonlyMap<ConfigLine | null, readonly string[]>;

/** Lines of two configurations without those that are the same in both. */
export type ChangedLines = {
  before: readonly ConfigLine[];
  after: readonly ConfigLine[];
  unchanged: Unchanged;
};

/**
 * Leave out what two configurations share: most of them is the same, and no command comes of it. Of lines that stand
 * there twice all are left out or none, for their parts are one; a section that is written anew or numbered as a whole
 * stays whole. Neither needs to be found out for a result that is right: only what is left takes longer.
 */
export function withoutUnchanged(
  before: readonly ConfigLine[],
  after: readonly ConfigLine[],
  platform: CompiledPlatform,
): ChangedLines {
  const unchanged = new Map<ConfigLine | null, readonly string[]>();
  const rest = changedOf(before, after, { platform, unchanged, depth: 0 });
  unchanged.set(null, rest.same);
  return { ...rest, unchanged };
}

type UnchangedSearch = {
  platform: CompiledPlatform;
  unchanged: Map<ConfigLine | null, readonly string[]>;
  depth: number;
};
type UnchangedRest = { before: ConfigLine[]; after: ConfigLine[]; same: string[] };

function changedOf(
  before: readonly ConfigLine[],
  after: readonly ConfigLine[],
  looking: UnchangedSearch,
): UnchangedRest {
  const twins = twinsOf(before, after);
  const shared = { before: new Uint8Array(before.length), after: new Uint8Array(after.length) };
  for (let at = 0; at < after.length; at++) {
    const [line, twin] = [after[at], before[twins[at] ?? -1]];
    if (line && twin && same(twin, line, looking.depth))
      shared.after[at] = shared.before[twins[at] ?? -1] = 1;
  }
  const left = openLeftovers();
  countLeft(before, shared.before, left);
  countLeft(after, shared.after, left);
  const rest: UnchangedRest = { before: [], after: [], same: [] };
  for (let at = 0; at < after.length; at++) {
    const text = after[at]?.text ?? '';
    if (shared.after[at] === 0) continue;
    if (timesLeft(text, left) === 0) {
      rest.same.push(text);
      continue;
    }
    // What stands again elsewhere is compared with that.
    shared.after[at] = shared.before[twins[at] ?? -1] = 0;
    left.times.set(text, SEVERAL);
  }
  const inside = new Map<ConfigLine, ConfigLine>();
  for (let at = 0; at < after.length; at++) {
    const [line, twin] = [after[at], before[twins[at] ?? -1]];
    if (!line || shared.after[at] === 1) continue;
    const both = twin && timesLeft(line.text, left) === 2 ? changedInside(twin, line, looking) : undefined;
    if (both && twin) inside.set(twin, both.before);
    rest.after.push(both?.after ?? line);
  }
  for (let at = 0; at < before.length; at++) {
    const line = before[at];
    if (line && shared.before[at] === 0) rest.before.push(inside.get(line) ?? line);
  }
  return rest;
}

/** How often lines stand there that are not shared: once in each list, where one of them has changed below. */
type Leftovers = { times: Map<string, number>; likes: Uint8Array };

/** More than twice: which of them belong together is not known. */
const SEVERAL = 3;

const openLeftovers = (): Leftovers => ({ times: new Map(), likes: new Uint8Array(256) });

/** What equal texts have in common: most that are no leftover are told by it, without being read as a whole. */
const likeness = (text: string): number =>
  (text.length * 31 + text.charCodeAt(text.length - 1) * 7 + text.charCodeAt(text.length >> 1)) & 255;

function countLeft(lines: readonly ConfigLine[], shared: Uint8Array, { times, likes }: Leftovers): void {
  for (let at = 0; at < lines.length; at++) {
    const text = lines[at]?.text ?? '';
    if (shared[at] === 1) continue;
    times.set(text, (times.get(text) ?? 0) + 1);
    likes[likeness(text)] = 1;
  }
}

const timesLeft = (text: string, { times, likes }: Leftovers): number =>
  likes[likeness(text)] === 0 ? 0 : (times.get(text) ?? 0);

/** For each line of one list the place of the line in the other that has its text, in the same order; -1 for none. */
function twinsOf(before: readonly ConfigLine[], after: readonly ConfigLine[]): Int32Array {
  const twins = new Int32Array(after.length).fill(-1);
  let there = 0;
  let wanted = 0;
  while (there < before.length && wanted < after.length) {
    if (before[there]?.text === after[wanted]?.text) {
      twins[wanted++] = there++;
      continue;
    }
    let ahead = 1;
    for (; ahead <= AHEAD; ahead++) {
      if (before[there]?.text === after[wanted + ahead]?.text) wanted += ahead;
      else if (before[there + ahead]?.text === after[wanted]?.text) there += ahead;
      else continue;
      break;
    }
    if (ahead > AHEAD) {
      there++;
      wanted++;
    }
  }
  return twins;
}

/** A line that is in both and has changed below, without what is the same there; undefined where that is nothing. */
function changedInside(
  before: ConfigLine,
  after: ConfigLine,
  { platform, unchanged, depth }: UnchangedSearch,
): { before: ConfigLine; after: ConfigLine } | undefined {
  if (depth >= DEEPEST || isWhole(before, after, platform, depth + 1)) return undefined;
  const rest = changedOf(before.children, after.children, { platform, unchanged, depth: depth + 1 });
  const both = { before: { ...before, children: rest.before }, after: { ...after, children: rest.after } };
  unchanged.set(both.after, rest.same);
  return both;
}

/** Whether what is below a line has to be seen as a whole. */
function isWhole(before: ConfigLine, after: ConfigLine, platform: CompiledPlatform, depth: number): boolean {
  const { text } = after;
  if (before.children.length === 0 || after.children.length === 0) return true;
  if (before.children[0]?.block || after.children[0]?.block) return true;
  if (mayTell(platform.overwrites, text, depth) || mayTell(platform.recreates, text, depth)) return true;
  if (mayTell(platform.duplicates, text, depth)) return true;
  return mayTell(platform.numbers, text, depth) && (isCounted(before) || isCounted(after));
}

const isCounted = ({ children }: ConfigLine): boolean =>
  children.some(({ text }) => text.startsWith('permit ') || text.startsWith('deny '));

function same(one: ConfigLine, other: ConfigLine, depth: number): boolean {
  const { children } = one;
  if (children.length !== other.children.length || depth > DEEPEST) return false;
  for (let at = 0; at < children.length; at++) {
    const left = children[at];
    const right = other.children[at];
    if (!left || !right || left.text !== right.text || left.block !== right.block) return false;
    if (left.children.length + right.children.length > 0 && !same(left, right, depth + 1)) return false;
  }
  return true;
}
