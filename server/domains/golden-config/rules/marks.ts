import type { Line } from '#db/schemas/golden-config/config-spec.ts';
import { SPACE, TAB } from '../parsing/characters.ts';
import type { Dialect } from '../parsing/dialect.ts';

/** The settings that marks set for the line after them (contract/engines#templates); absent: required, warning, no order. */
export type Marks = Pick<Line, 'evalMode' | 'severity' | 'ordering'>;

/** A message about a template, with its offset in the text that was read. */
export type MarkMessage = { offset: number; message: string };

/** An expression found between `{/` and `/}`. */
export type MarkedExpression = { source: string; offset: number };

/** A template without its marks: configuration text that a dialect can read. */
export type Unmarked = {
  /** The configuration text; each expression is one word: its number between OPEN and CLOSE. */
  text: string;
  expressions: MarkedExpression[];
  /** Marks by line number of `text`, from 1. */
  marks: Map<number, Marks>;
  /** Offsets of the lines in the text that was read; the index is the line number of `text` minus one. */
  offsets: number[];
  issues: MarkMessage[];
  warnings: MarkMessage[];
};

/** Characters around the number of an expression: Unicode noncharacters, so that no text contains them. */
export const OPEN = '\uFDD0';
export const CLOSE = '\uFDD1';

/** The settings of each mark. `{o/}` is our addition: the other modes have marks, and every line must be printable. */
export const MARKS: Readonly<Record<string, Marks>> = {
  '<e/>': { severity: 'error' },
  '<w/>': { severity: 'warning' },
  '<i/>': { severity: 'info' },
  '{d/}': { evalMode: 'disallowed' },
  '{i/}': { evalMode: 'ignored' },
  '{o/}': { evalMode: 'optional' },
  '{lso/}': { ordering: 'strict' },
  '{llo/}': { ordering: 'loose' },
};
const MARK = /<[ewi]\/>|\{(?:d|i|o|lso|llo)\/\}/y;
const SOME_MARK = /<[ewi]\/>|\{(?:d|i|o|lso|llo)\/\}/;
const AFTER_STATEMENT = /[;{}][ \t]*(<[ewi]\/>|\{(?:d|i|o|lso|llo)\/\})/;

/**
 * Removes marks and expressions from a rendered template. Marks come before a line, in any order; in brace dialects,
 * before any statement. Comments are left unchanged.
 */
export function unmark(text: string, dialect: Dialect): Unmarked {
  const unmarked: Unmarked = {
    text: '',
    expressions: [],
    marks: new Map(),
    offsets: [],
    issues: [],
    warnings: [],
  };
  const odd = text.search(/[\uFDD0\uFDD1]/);
  if (odd !== -1) {
    unmarked.issues.push({ offset: odd, message: 'U+FDD0 and U+FDD1 are not characters' });
    return unmarked;
  }
  const lines: string[] = [];
  for (let start = 0; start <= text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    for (const piece of readLine(text.slice(start, end), start, dialect, unmarked)) {
      lines.push(piece.text);
      unmarked.offsets.push(piece.offset);
      if (piece.marks) unmarked.marks.set(lines.length, piece.marks);
    }
    start = end + 1;
  }
  unmarked.text = lines.join('\n');
  return unmarked;
}

type MarkedLine = { text: string; offset: number; marks: Marks | null };

/**
 * Splits a line into pieces: the line itself, or one piece per statement where marks come between statements.
 *
 * @param offset of the line in the whole text: only the line itself is ever searched
 */
function readLine(line: string, offset: number, dialect: Dialect, into: Unmarked): MarkedLine[] {
  const pieces: MarkedLine[] = [];
  let rest = line;
  let place = offset;
  for (;;) {
    const from = skipBlanks(rest, 0);
    const { marks, at } = readMarks(rest, from);
    const indent = rest.slice(0, from);
    const position = place + from;
    rest = rest.slice(at);
    place += at;
    if (dialect.comments.some((comment) => rest.startsWith(comment))) {
      pieces.push({ text: indent + rest, offset: position, marks });
      return pieces;
    }
    // A newline between statements changes nothing in braces, and gives each statement its own line and marks.
    const next = dialect.structure === 'brace' ? statementMark(rest) : -1;
    if (next === -1) {
      const stray = rest.search(SOME_MARK);
      if (stray !== -1) into.warnings.push({ offset: place + stray, message: STRAY });
      pieces.push({ text: indent + words(rest, place, into), offset: position, marks });
      return pieces;
    }
    pieces.push({ text: indent + words(rest.slice(0, next), place, into), offset: position, marks });
    rest = rest.slice(next);
    place += next;
  }
}

const STRAY = 'a mark within a line is read as text: marks must precede the line';

/** Returns the offset of a mark after the end of a statement; -1 when there is none. */
function statementMark(line: string): number {
  const found = AFTER_STATEMENT.exec(line);
  return found ? found.index + found[0].length - (found[1]?.length ?? 0) : -1;
}

function readMarks(line: string, from: number): { marks: Marks | null; at: number } {
  let marks: Marks | null = null;
  let at = from;
  for (;;) {
    MARK.lastIndex = at;
    const found = MARK.exec(line);
    if (!found) return { marks, at };
    marks = Object.assign({}, marks, MARKS[found[0]]);
    at = skipBlanks(line, MARK.lastIndex);
  }
}

/** Returns the line with each expression replaced by one word. */
function words(line: string, offset: number, { expressions, issues }: Unmarked): string {
  const pieces: string[] = [];
  let place = 0;
  for (let open = line.indexOf('{/'); open !== -1; open = line.indexOf('{/', place)) {
    const close = line.indexOf('/}', open + 2);
    if (close === -1) {
      issues.push({ offset: offset + open, message: 'the expression is not closed: /} is missing' });
      break;
    }
    const inner = line.slice(open + 2, close);
    const source = inner.trim();
    pieces.push(line.slice(place, open), OPEN, String(expressions.length), CLOSE);
    expressions.push({ source, offset: offset + open + 2 + inner.indexOf(source) });
    place = close + 2;
  }
  pieces.push(line.slice(place));
  return pieces.join('');
}

function skipBlanks(line: string, from: number): number {
  let at = from;
  while (line.charCodeAt(at) === SPACE || line.charCodeAt(at) === TAB) at++;
  return at;
}
