import type { BlockRule, Dialect } from '#server/platforms/record/grammar.ts';
import { isBlank } from './source.ts';

/** Kinds of line that a first character may indicate; flags, combined with OR. */
export const COMMENT = 1;
export const BLOCK = 2;
export const CLOSER = 4;
export const VOLATILE = 8;

/** A block rule with its opening words split. */
export type BlockPlan = { words: readonly string[]; ends: BlockRule['ends']; caretC: boolean };

/** A dialect prepared for reading: for most lines the first character rules out all special cases. */
export type Plan = { flags: Uint8Array; blocks: readonly BlockPlan[] };

const PLANS = new WeakMap<Dialect, Plan>();

/** Returns the plan of a dialect, computed once. */
export function planOf(dialect: Dialect): Plan {
  const known = PLANS.get(dialect);
  if (known) return known;
  const flags = new Uint8Array(128);
  const mark = (texts: readonly string[], flag: number) => {
    for (const text of texts) flags[text.charCodeAt(0)] = (flags[text.charCodeAt(0)] ?? 0) | flag;
  };
  mark(dialect.comments, COMMENT);
  mark(
    dialect.blocks.map(({ begins }) => begins),
    BLOCK,
  );
  mark(dialect.closers, CLOSER);
  mark(dialect.volatile, VOLATILE);
  const blocks = dialect.blocks.map(({ begins, ends, caretC = false }) => ({
    words: begins.split(' '),
    ends,
    caretC,
  }));
  const plan = { flags, blocks };
  PLANS.set(dialect, plan);
  return plan;
}

/** Returns whether one of `marks` begins at `from`; a mark's trailing blank also matches the end of the line. */
export function oneStandsAt(marks: readonly string[], text: string, from: number, to: number): boolean {
  const code = text.charCodeAt(from);
  for (const mark of marks) {
    if (mark.charCodeAt(0) !== code) continue;
    if (text.startsWith(mark, from) && from + mark.length <= to) return true;
    if (mark.endsWith(' ') && from + mark.length === to + 1 && text.startsWith(mark.trimEnd(), from))
      return true;
  }
  return false;
}

/** Returns the offset after these words, which is `to` when nothing follows; -1 when the line begins otherwise. */
export function behindWords(words: readonly string[], text: string, from: number, to: number): number {
  let at = from;
  for (const word of words) {
    if (word === '*') {
      // `*` is a banner's kind, which is a word: any other character is the delimiter of a banner without a kind.
      if (!isLetter(text.charCodeAt(at))) return -1;
      while (at < to && !isBlank(text.charCodeAt(at))) at++;
    } else {
      if (!text.startsWith(word, at)) return -1;
      at += word.length;
    }
    if (at > to || (at < to && !isBlank(text.charCodeAt(at)))) return -1;
    while (at < to && isBlank(text.charCodeAt(at))) at++;
  }
  return at;
}

const isLetter = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122;
