import { RE2JS, RE2JSSyntaxException } from 're2js';
import { isLinear } from './linear.ts';
import { type Pattern, readPattern } from './pattern.ts';

/** Whether a whole line matches, in time linear to the line. */
export type Matcher = {
  matches: (line: string) => boolean;
  /** What runs it: the engine's own expressions where that is proven linear, RE2 elsewhere. */
  by: 'engine' | 're2';
  /** The word that every match begins with; null when there is none. */
  firstWord: string | null;
};

/** Longest line that is held against an expression, in characters. */
const LONGEST_LINE = 16 * 1024;

/**
 * An expression over a whole line.
 *
 * @param source RE2 syntax, which has been checked
 * @throws RE2JSSyntaxException when its parts do not go together after all
 */
export function lineMatcher(source: string): Matcher {
  const pattern = readPattern(source);
  const firstWord = pattern && leadingWord(pattern);
  const own = pattern && isLinear(pattern) ? new RegExp(`^(?:${printed(pattern)})$`, 'u') : null;
  if (own)
    return { matches: (line) => line.length <= LONGEST_LINE && own.test(line), by: 'engine', firstWord };
  const expression = RE2JS.compile(source);
  return {
    matches: (line) => line.length <= LONGEST_LINE && expression.testExact(line),
    by: 're2',
    firstWord,
  };
}

/** Whether an error says that an expression is wrong. */
export const isSyntaxFault = (error: unknown): error is RE2JSSyntaxException =>
  error instanceof RE2JSSyntaxException;

/** The pattern in the engine's syntax; every character by its number, so that nothing has a meaning of its own. */
export function printed(pattern: Pattern): string {
  if (pattern.kind === 'choice') return `(?:${pattern.of.map(printed).join('|')})`;
  if (pattern.kind === 'sequence') return pattern.of.map(printed).join('');
  if (pattern.kind === 'repeat') {
    const { of, least, most } = pattern;
    return `(?:${printed(of)}){${least},${most ?? ''}}`;
  }
  const ranges = pattern.set.map(([from, to]) => (from === to ? point(from) : `${point(from)}-${point(to)}`));
  return pattern.set.length === 1 && pattern.set[0]?.[0] === pattern.set[0]?.[1]
    ? ranges.join('')
    : `[${ranges.join('')}]`;
}

const point = (code: number) => `\\u{${code.toString(16)}}`;

const SPACE = 32;

/** The characters that every match begins with, up to a blank; null when no whole word is sure. */
function leadingWord(pattern: Pattern): string | null {
  const open: Pattern[] = [pattern];
  let word = '';
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.kind === 'sequence') open.push(...next.of.toReversed());
    else if (next.kind === 'set') {
      const [range] = next.set;
      if (next.set.length !== 1 || !range || range[0] !== range[1]) return null;
      if (range[0] === SPACE) return word === '' ? null : word;
      word += String.fromCodePoint(range[0]);
    } else if (next.kind === 'repeat' && next.least === 1 && next.most === 1) open.push(next.of);
    else return null;
  }
  return word === '' ? null : word;
}
