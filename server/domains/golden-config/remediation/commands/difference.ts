import { add, emptySection, type Section, wordsOf } from '../sections.ts';
import { type CompiledPlatform, found, mayHaveEntry, type Words } from './compiled-platform.ts';
import { mayReplace, negated, negatedHead, replacementKey } from './negation.ts';

/** A command, with those to enter within the section that it opens. */
export type Command = { text: string; below: Command[] };

/**
 * Returns the commands that lead from one configuration to another: below each line first those that negate what must go,
 * then those that set what is missing, all sorted by weight. Commands that replace an existing line need no negation.
 *
 * @param before root of the existing configuration
 * @param after root of the intended configuration
 */
export function difference(before: Section, after: Section, platform: CompiledPlatform): Command[] {
  const delta = emptySection('');
  compare(before, after, [], delta, platform);
  return inOrder(delta.children, [], platform);
}

function compare(
  before: Section,
  after: Section,
  above: Words,
  delta: Section,
  platform: CompiledPlatform,
): void {
  negateRemoved(before, after, above, delta, platform);
  for (const wanted of after.children) {
    const there = before.byText.get(wanted.text);
    if (!there) {
      copyInto(delta, wanted);
      continue;
    }
    compareLine(there, wanted, above, delta, platform);
  }
}

/** Adds the commands for a line that both configurations have: for those below it, unless it is always set as a whole. */
function compareLine(
  there: Section,
  wanted: Section,
  above: Words,
  delta: Section,
  platform: CompiledPlatform,
): void {
  const isLeaf = there.children.length === 0 && wanted.children.length === 0;
  const overwrites = mayHaveEntry(platform.overwrites, wanted.text, above.length + 1);
  const recreates = mayHaveEntry(platform.recreates, wanted.text, above.length + 1);
  if (isLeaf && !overwrites && !recreates) return;
  const words = [...above, wordsOf(wanted)];
  if (overwrites && found(platform.overwrites, words)) {
    if (!same(there, wanted, wanted.repeats)) copyInto(delta, wanted);
    return;
  }
  if (recreates && found(platform.recreates, words)) {
    if (!same(there, wanted, false)) recreate(wanted, words, delta, platform);
    return;
  }
  const inside = emptySection(wanted.text, wanted.repeats);
  compare(there, wanted, words, inside, platform);
  if (inside.children.length > 0) add(delta, inside);
}

/** Adds the commands that remove the lines of `before` that `after` does not have. */
function negateRemoved(
  before: Section,
  after: Section,
  above: Words,
  delta: Section,
  platform: CompiledPlatform,
): void {
  const depth = above.length + 1;
  let keys: Set<string> | undefined;
  for (const line of before.children) {
    if (after.byText.has(line.text)) continue;
    const replaced = mayReplace(line.text, platform, depth);
    const special = mayHaveEntry(platform.negates, line.text, depth);
    const emptied = mayHaveEntry(platform.emptied, line.text, depth);
    // Lines that no rule can match need no words.
    const words = replaced || special || emptied ? [...above, wordsOf(line)] : above;
    const key = replaced ? replacementKey(words, platform) : null;
    if (key !== null) {
      keys ??= keysOf(after, above, platform);
      if (keys.has(key)) continue;
    }
    if (emptied && found(platform.emptied, words)) {
      const inside = emptySection(line.text);
      negateRemoved(line, emptySection(''), words, inside, platform);
      if (inside.children.length > 0) add(delta, inside);
      continue;
    }
    const text = special ? negated(line.text, words, platform) : negatedHead(line.text, platform);
    if (!delta.byText.has(text)) add(delta, emptySection(text));
  }
}

/** Returns the replacement keys of lines that may replace others; the first word rules out most lines. */
function keysOf({ children }: Section, above: Words, platform: CompiledPlatform): Set<string> {
  const depth = above.length + 1;
  const keys = new Set<string>();
  for (const child of children) {
    if (!mayReplace(child.text, platform, depth)) continue;
    const key = replacementKey([...above, wordsOf(child)], platform);
    if (key !== null) keys.add(key);
  }
  return keys;
}

function recreate(wanted: Section, words: Words, delta: Section, platform: CompiledPlatform): void {
  add(delta, emptySection(negated(wanted.text, words, platform)));
  if (wanted.children.length > 0) copyInto(delta, wanted);
}

/** Copies a line and all below it; a command that negation already added is not repeated. */
function copyInto(delta: Section, { text, children, repeats }: Section): void {
  const there = repeats && delta.repeats ? undefined : delta.byText.get(text);
  const copy = there ?? add(delta, emptySection(text, repeats));
  for (const child of children) copyInto(copy, child);
}

/** Returns whether two sections contain the same lines, in the same order if `ordered`. */
function same(one: Section, other: Section, ordered: boolean): boolean {
  if (one.children.length !== other.children.length) return false;
  return one.children.every((child, at) => {
    const twin = ordered ? other.children[at] : other.byText.get(child.text);
    return twin !== undefined && twin.text === child.text && same(child, twin, ordered);
  });
}

/** Returns the commands below one line by ascending weight; equal ones keep their order. */
function inOrder(sections: readonly Section[], above: Words, platform: CompiledPlatform): Command[] {
  const weighed = sections.map((section) => {
    const { text, children } = section;
    const weighs = mayHaveEntry(platform.weights, text, above.length + 1);
    // Lines that no rule can match need no words, unless lines below them do.
    const words = weighs || children.length > 0 ? [...above, wordsOf(section)] : above;
    return {
      weight: weighs ? (found(platform.weights, words)?.value ?? 0) : 0,
      command: { text, below: children.length > 0 ? inOrder(children, words, platform) : [] },
    };
  });
  weighed.sort((one, other) => one.weight - other.weight);
  return weighed.map(({ command }) => command);
}
