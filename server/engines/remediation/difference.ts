import { found, type Manner, type Words } from './manner.ts';
import { add, bareSection, type Section } from './sections.ts';
import { replacementKey, takenBack } from './take-back.ts';

/** A command, with those that are given inside of the section that it enters. */
export type Command = { text: string; below: Command[] };

/**
 * The commands that lead from one configuration to another: below each line first those that take back what must go,
 * then those that set what is missing, then by weight. What takes the place of something needs no taking back.
 *
 * @param before what is there, `after` what is to be there: the tree's roots
 */
export function difference(before: Section, after: Section, manner: Manner): Command[] {
  const delta = bareSection('');
  compare(before, after, [], delta, manner);
  return inOrder(delta.children, [], manner);
}

function compare(before: Section, after: Section, above: Words, delta: Section, manner: Manner): void {
  takeBack(before, after, above, delta, manner);
  for (const wanted of after.children) {
    const there = before.byText.get(wanted.text);
    if (!there) {
      copyInto(delta, wanted);
      continue;
    }
    const words = [...above, wanted.words];
    if (found(manner.overwrites, words)) {
      if (!same(there, wanted, wanted.repeats)) copyInto(delta, wanted);
    } else if (found(manner.recreates, words)) {
      if (!same(there, wanted, false)) recreate(wanted, words, delta, manner);
    } else {
      const inside = bareSection(wanted.text, wanted.repeats);
      compare(there, wanted, words, inside, manner);
      if (inside.children.length > 0) add(delta, inside);
    }
  }
}

function takeBack(before: Section, after: Section, above: Words, delta: Section, manner: Manner): void {
  let keys: Set<string> | undefined;
  for (const line of before.children) {
    if (after.byText.has(line.text)) continue;
    const words = [...above, line.words];
    const key = replacementKey(words, manner);
    if (key !== null) {
      keys ??= keysOf(after, above, manner);
      if (keys.has(key)) continue;
    }
    if (found(manner.emptied, words)) {
      const inside = bareSection(line.text);
      takeBack(line, bareSection(''), words, inside, manner);
      if (inside.children.length > 0) add(delta, inside);
      continue;
    }
    const text = takenBack(line.text, words, manner);
    if (!delta.byText.has(text)) add(delta, bareSection(text));
  }
}

const keysOf = ({ children }: Section, above: Words, manner: Manner): Set<string> =>
  new Set(
    children.flatMap(({ words }) => {
      const key = replacementKey([...above, words], manner);
      return key === null ? [] : [key];
    }),
  );

function recreate(wanted: Section, words: Words, delta: Section, manner: Manner): void {
  add(delta, bareSection(takenBack(wanted.text, words, manner)));
  if (wanted.children.length > 0) copyInto(delta, wanted);
}

/** Copy a line and all below it; what taking back already gives is not given again. */
function copyInto(delta: Section, { text, children, repeats }: Section): void {
  const there = repeats && delta.repeats ? undefined : delta.byText.get(text);
  const copy = there ?? add(delta, bareSection(text, repeats));
  for (const child of children) copyInto(copy, child);
}

/** Whether two sections hold the same lines, in the same order where that counts. */
function same(one: Section, other: Section, ordered: boolean): boolean {
  if (one.children.length !== other.children.length) return false;
  return one.children.every((child, at) => {
    const twin = ordered ? other.children[at] : other.byText.get(child.text);
    return twin !== undefined && twin.text === child.text && same(child, twin, ordered);
  });
}

/** Commands below one line, lighter ones first, the others as they come. */
function inOrder(sections: readonly Section[], above: Words, manner: Manner): Command[] {
  const weighed = sections.map((section) => {
    const words = [...above, section.words];
    return {
      weight: found(manner.weights, words)?.value ?? 0,
      command: { text: section.text, below: inOrder(section.children, words, manner) },
    };
  });
  weighed.sort((one, other) => one.weight - other.weight);
  return weighed.map(({ command }) => command);
}
