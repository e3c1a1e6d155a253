import type { Line } from '#db/schemas/config-spec.ts';
import type { Dialect } from '#server/engines/dialects/dialect.ts';

/** What the marks before a line say of it (design/compliance §1.2); absent: required, warning, no order. */
export type Marks = Pick<Line, 'evalMode' | 'severity' | 'ordering'>;

/** Something to tell of a template, at an offset of the text that was read. */
export type Told = { offset: number; message: string };

/** An expression that stood between `{/` and `/}`. */
export type MarkedExpression = { source: string; offset: number };

/** A template without its marks: configuration text that a dialect can read. */
export type Unmarked = {
  /** Each expression is one word of it: its number between OPEN and CLOSE. */
  text: string;
  expressions: MarkedExpression[];
  /** By line number of `text`, from 1. */
  marks: Map<number, Marks>;
  /** By line number of `text`, less one: the offset in the text that was read. */
  offsets: number[];
  issues: Told[];
  warnings: Told[];
};

/** Characters around the number of an expression; they are no characters, so that no text holds them. */
export const OPEN = '\uFDD0';
export const CLOSE = '\uFDD1';

/** What each mark says. `{o/}` is our own: the others of the modes have one, and lines must be printable. */
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
const SOME_MARK = /<[ewi]\/>|\{(?:d|i|o|lso|llo)\/\}/g;

/**
 * Take marks and expressions out of a rendered template. Marks stand before a line, in any order; in dialects of
 * braces, before any statement. Lines that are comments are left alone.
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
    unmarked.issues.push({ offset: odd, message: 'U+FDD0 and U+FDD1 are no characters' });
    return unmarked;
  }
  const lines: string[] = [];
  for (let start = 0; start <= text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    for (const piece of readLine(text, start, end, dialect, unmarked)) {
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

function readLine(text: string, start: number, end: number, dialect: Dialect, into: Unmarked): MarkedLine[] {
  const from = skipBlanks(text, start, end);
  const indent = text.slice(start, from);
  const { marks, at } = readMarks(text, from, end);
  const line = text.slice(at, end);
  if (dialect.comments.some((comment) => line.startsWith(comment))) {
    return [{ text: indent + line, offset: from, marks }];
  }
  // A newline between statements changes nothing in braces, and gives each its line and so its marks.
  const next = dialect.structure === 'brace' ? statementMark(text, at, end) : -1;
  if (next !== -1) {
    const head = { text: indent + words(text, at, next, into), offset: from, marks };
    return [head, ...readLine(text, next, end, dialect, into)];
  }
  warnOfMarks(line, at, into);
  return [{ text: indent + words(text, at, end, into), offset: from, marks }];
}

/** Where a mark stands behind the end of a statement; -1 when none does. */
function statementMark(text: string, from: number, end: number): number {
  SOME_MARK.lastIndex = from;
  for (let found = SOME_MARK.exec(text); found && found.index < end; found = SOME_MARK.exec(text)) {
    if (/[;{}]\s*$/.test(text.slice(Math.max(from, found.index - 8), found.index))) return found.index;
  }
  return -1;
}

function readMarks(text: string, from: number, end: number): { marks: Marks | null; at: number } {
  let marks: Marks | null = null;
  let at = from;
  for (;;) {
    MARK.lastIndex = at;
    const found = at < end ? MARK.exec(text) : null;
    if (!found) return { marks, at };
    marks = Object.assign({}, marks, MARKS[found[0]]);
    at = skipBlanks(text, MARK.lastIndex, end);
  }
}

function warnOfMarks(line: string, at: number, { warnings }: Unmarked): void {
  const found = line.search(SOME_MARK);
  if (found !== -1) {
    warnings.push({
      offset: at + found,
      message: 'a mark within a line is read as text: marks stand before it',
    });
  }
}

/** The line with each expression as one word. */
function words(text: string, from: number, end: number, { expressions, issues }: Unmarked): string {
  const pieces: string[] = [];
  let place = from;
  for (let open = text.indexOf('{/', place); open !== -1 && open < end; open = text.indexOf('{/', place)) {
    const close = text.indexOf('/}', open + 2);
    if (close === -1 || close >= end) {
      issues.push({ offset: open, message: 'the expression is not closed: /} is missing' });
      break;
    }
    pieces.push(text.slice(place, open), OPEN, String(expressions.length), CLOSE);
    expressions.push({ source: text.slice(open + 2, close).trim(), offset: open + 2 });
    place = close + 2;
  }
  pieces.push(text.slice(place, end));
  return pieces.join('');
}

function skipBlanks(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && (text.charCodeAt(at) === 32 || text.charCodeAt(at) === 9)) at++;
  return at;
}
