import { RE2JS, RE2JSSyntaxException } from 're2js';
import type { Word } from '#db/schemas/golden-config/config-spec.ts';
import { escaped, firstWordOf } from './words.ts';

/** Whether a whole line matches, in time linear to the line. */
export type Matcher = {
  matches: (line: string) => boolean;
  /** The word that every match begins with; null when there is none. */
  firstWord: string | null;
};

/** Longest line that is held against an expression, in characters. */
const LONGEST_LINE = 16 * 1024;

/** What plain expressions are made of: characters, and sets that are repeated only up to a character that is not in the set. */
const PIECES = [
  String.raw`[\w /:,@=#%&~"'<>!;-]|\\[./*+?()|]`,
  String.raw`(?:\.|\\[dw]|\[[\w/:,.-]+\])(?![*+?{])`,
  String.raw`\\[dw](?:[*+]|\{\d{1,2}(?:,\d{0,2})?\})(?=[ /:-]|\\[./-]|$)`,
  String.raw`(?:\\S|\[[\w/:,.-]+\])[*+](?= |$)`,
];

/**
 * Matches the plain ones of RE2's expressions. There is one way to match a line with them, so that the engine's own
 * expressions take linear time as well, a third of RE2's (docs/decisions/0012).
 */
const PLAIN = new RegExp(`^(?:${PIECES.join('|')})*(?:\\.[*+])?$`);

/** What an expression without branches surely begins with: a word and a space. */
const LEADING = /^([\w-]+) (?![*+?{])[^|]*$/;

/**
 * An expression over a whole line.
 *
 * @param words of a line; each of type regex holds RE2 syntax, which has been checked
 * @throws RE2JSSyntaxException when the words do not go together after all
 */
export function lineMatcher(words: readonly Word[]): Matcher {
  const [first] = words;
  const parts = words.map(({ type, value }) => {
    if (type !== 'regex') return escaped(value);
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

/** What `.` and `\S` stand for in RE2; in the engine's syntax they leave out more characters. */
const SETS: Readonly<Record<string, string>> = { '.': '[^\\n]', '\\S': '[^\\t\\n\\f\\r ]' };

/** A plain expression in the engine's syntax. */
const plainExpression = (source: string): RegExp =>
  new RegExp(`^${source.replace(/\\.|\[[^\]]*\]|\./g, (piece) => SETS[piece] ?? piece)}$`, 'u');

/** Whether an error says that an expression is wrong. */
export const isSyntaxFault = (error: unknown): error is RE2JSSyntaxException =>
  error instanceof RE2JSSyntaxException;
