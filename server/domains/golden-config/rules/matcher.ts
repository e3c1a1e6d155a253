import { RE2JS, RE2JSSyntaxException } from 're2js';
import type { Word } from '#db/schemas/golden-config/config-spec.ts';
import { literalExpression } from '#server/kernel/text/literal-expression.ts';
import { firstWordOf } from './words.ts';

/** Tests whether a whole line matches, in linear time. */
export type Matcher = {
  matches: (line: string) => boolean;
  /** The word that every match begins with; null when there is none. */
  firstWord: string | null;
};

/** Longest line that is matched against an expression, in characters. */
const LONGEST_LINE = 16 * 1024;

/** Parts of plain expressions: characters, and sets that are repeated only up to a character that is not in the set. */
const PIECES = [
  String.raw`[\w /:,@=#%&~"'<>!;-]|\\[./*+?()|]`,
  String.raw`(?:\.|\\[dw]|\[[\w/:,.-]+\])(?![*+?{])`,
  String.raw`\\[dw](?:[*+]|\{\d{1,2}(?:,\d{0,2})?\})(?=[ /:-]|\\[./-]|$)`,
  String.raw`(?:\\S|\[[\w/:,.-]+\])[*+](?= |$)`,
];

/**
 * Matches plain RE2 expressions. A line can match them in one way only, so JavaScript's own expressions take linear time
 * as well, a third of RE2's time (docs/decisions/0012).
 */
const PLAIN = new RegExp(`^(?:${PIECES.join('|')})*(?:\\.[*+])?$`);

/** The start that every match of an expression without branches has: a word and a space. */
const LEADING = /^([\w-]+) (?![*+?{])[^|]*$/;

/**
 * Returns the matcher for a whole line.
 *
 * @param words of a line; words of type regex hold RE2 syntax that has been checked
 * @throws RE2JSSyntaxException when the joined words are not a valid expression
 */
export function lineMatcher(words: readonly Word[]): Matcher {
  const [first] = words;
  const parts = words.map(({ type, value }) => {
    if (type !== 'regex') return literalExpression(value);
    return words.length > 1 && !PLAIN.test(value) ? `(?:${value})` : value;
  });
  const source = parts.join(' ');
  const expression = RE2JS.compile(source);
  const plain = PLAIN.test(source) ? plainExpression(source) : null;
  const matches = plain ? (line: string) => plain.test(line) : (line: string) => expression.testExact(line);
  const isSure = words.length > 1 && first?.type === 'literal';
  return {
    matches: (line) => line.length <= LONGEST_LINE && matches(line),
    firstWord: isSure ? firstWordOf(first.value) : (LEADING.exec(source)?.[1] ?? null),
  };
}

/** RE2's meaning of `.` and `\S`, in JavaScript syntax, where they leave out more characters. */
const SETS: Readonly<Record<string, string>> = { '.': '[^\\n]', '\\S': '[^\\t\\n\\f\\r ]' };

/** Returns a plain expression in JavaScript syntax. */
const plainExpression = (source: string): RegExp =>
  new RegExp(`^${source.replace(/\\.|\[[^\]]*\]|\./g, (piece) => SETS[piece] ?? piece)}$`, 'u');

/** Returns whether an error reports an invalid expression. */
export const isSyntaxFault = (error: unknown): error is RE2JSSyntaxException =>
  error instanceof RE2JSSyntaxException;
