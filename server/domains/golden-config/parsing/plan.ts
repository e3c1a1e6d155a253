import type { BlockRule, Dialect } from '#server/platforms/record/grammar.ts';
import { isBlank } from './source.ts';

/** What the first character of a line may make it; flags, or-ed. */
export const COMMENT = 1;
export const BLOCK = 2;
export const CLOSER = 4;
export const VOLATILE = 8;

/** The words of a block rule, apart. */
export type BlockPlan = { words: readonly string[]; ends: BlockRule['ends']; caretC: boolean };

/** A dialect made ready for reading: by its first character, most lines need no further look. */
export type Plan = { flags: Uint8Array; blocks: readonly BlockPlan[] };

const PLANS = new WeakMap<Dialect, Plan>();

/** The plan of a dialect, made once. */
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

/** Whether one of these stands at a place; a blank at its end may also be the end of the line. */
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

/** Where the rest of a line begins behind these words, `to` when there is none; -1 when it begins otherwise. */
export function behindWords(words: readonly string[], text: string, from: number, to: number): number {
  let at = from;
  for (const word of words) {
    if (word === '*') {
      // A banner's kind is a word: what begins otherwise is the delimiter of a banner that names none.
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
