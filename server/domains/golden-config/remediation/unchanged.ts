import type { ConfigLine } from '../parsing/config-line.ts';
import { type CompiledPlatform, mayHaveEntry } from './commands/compiled-platform.ts';

/** Maximum depth of lines that are compared as wholes; deeper ones count as changed. */
const DEEPEST = 50;

/** Number of lines searched ahead for the next common line; lines not found this way are compared later. */
const AHEAD = 8;

/** Texts of the omitted lines, by the line above them; null is the top level. */
export type Unchanged = ReadonlyMap<ConfigLine | null, readonly string[]>;

/** The lines of two configurations without those that are the same in both. */
export type ChangedLines = {
  before: readonly ConfigLine[];
  after: readonly ConfigLine[];
  unchanged: Unchanged;
};

/**
 * Leaves out what two configurations share, which is most of them and yields no command. Of repeated lines all are left
 * out or none, since they form one section; a section that is recreated or numbered as a whole stays whole. The result is
 * correct even if shared lines remain: they only take longer to compare.
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
  const shared = sharedLines(before, after, twins, looking.depth);
  const left = openLeftovers();
  countUnmatched(before, shared.before, left);
  countUnmatched(after, shared.after, left);
  const rest: UnchangedRest = { before: [], after: [], same: leaveOut(after, twins, shared, left) };
  const inside = new Map<ConfigLine, ConfigLine>();
  for (let at = 0; at < after.length; at++) {
    const [line, twin] = [after[at], before[twins[at] ?? -1]];
    if (!line || shared.after[at] === 1) continue;
    const both =
      twin && timesUnmatched(line.text, left) === 2 ? changedInside(twin, line, looking) : undefined;
    if (both && twin) inside.set(twin, both.before);
    rest.after.push(both?.after ?? line);
  }
  for (let at = 0; at < before.length; at++) {
    const line = before[at];
    if (line && shared.before[at] === 0) rest.before.push(inside.get(line) ?? line);
  }
  return rest;
}

/** Which lines of both lists are shared: 1, else 0. */
type SharedLines = { before: Uint8Array; after: Uint8Array };

/** Returns the lines that are the same as their twins, with all below them. */
function sharedLines(
  before: readonly ConfigLine[],
  after: readonly ConfigLine[],
  twins: Int32Array,
  depth: number,
): SharedLines {
  const shared = { before: new Uint8Array(before.length), after: new Uint8Array(after.length) };
  for (let at = 0; at < after.length; at++) {
    const [line, twin] = [after[at], before[twins[at] ?? -1]];
    if (line && twin && same(twin, line, depth)) shared.after[at] = shared.before[twins[at] ?? -1] = 1;
  }
  return shared;
}

/** Returns the texts of the shared lines; one that is repeated elsewhere is no longer shared, but compared with its repetition. */
function leaveOut(
  after: readonly ConfigLine[],
  twins: Int32Array,
  shared: SharedLines,
  left: UnmatchedLines,
): string[] {
  const same: string[] = [];
  for (let at = 0; at < after.length; at++) {
    const text = after[at]?.text ?? '';
    if (shared.after[at] === 0) continue;
    if (timesUnmatched(text, left) === 0) same.push(text);
    else {
      shared.after[at] = shared.before[twins[at] ?? -1] = 0;
      left.times.set(text, SEVERAL);
    }
  }
  return same;
}

/** How often texts occur in lines that are not shared: once in each list when a line has changed below. */
type UnmatchedLines = { times: Map<string, number>; likes: Uint8Array };

/** More than twice: it is unknown which of the lines belong together. */
const SEVERAL = 3;

const openLeftovers = (): UnmatchedLines => ({ times: new Map(), likes: new Uint8Array(256) });

/** Returns a hash that equal texts share: it rules out most texts that are no leftovers without reading them whole. */
const likeness = (text: string): number =>
  (text.length * 31 + text.charCodeAt(text.length - 1) * 7 + text.charCodeAt(text.length >> 1)) & 255;

function countUnmatched(
  lines: readonly ConfigLine[],
  shared: Uint8Array,
  { times, likes }: UnmatchedLines,
): void {
  for (let at = 0; at < lines.length; at++) {
    const text = lines[at]?.text ?? '';
    if (shared[at] === 1) continue;
    times.set(text, (times.get(text) ?? 0) + 1);
    likes[likeness(text)] = 1;
  }
}

const timesUnmatched = (text: string, { times, likes }: UnmatchedLines): number =>
  likes[likeness(text)] === 0 ? 0 : (times.get(text) ?? 0);

/** Returns for each line of `after` the index of the line of `before` with its text, in the same order; -1 for none. */
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

/**
 * Returns a line that both have and that changed below, without what is the same there; undefined if it must stay whole.
 */
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

/** Returns whether the lines below a line must be compared as a whole. */
function isWhole(before: ConfigLine, after: ConfigLine, platform: CompiledPlatform, depth: number): boolean {
  const { text } = after;
  if (before.children.length === 0 || after.children.length === 0) return true;
  if (before.children[0]?.block || after.children[0]?.block) return true;
  if (mayHaveEntry(platform.overwrites, text, depth) || mayHaveEntry(platform.recreates, text, depth))
    return true;
  if (mayHaveEntry(platform.duplicates, text, depth)) return true;
  return mayHaveEntry(platform.numbers, text, depth) && (isCounted(before) || isCounted(after));
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
