import type { ConfigLine, ParsedConfig } from '../parsing/config-line.ts';
import { closingQuote, isBlank, type Source, sourceOf } from '../parsing/source.ts';
import { isIndented } from './columns.ts';

/**
 * Reads JSON as lines: a property is its name and value; one that holds an object or array is a line with children; an
 * object or array without a name has empty text. Commas end lines, colons separate words. Invalid JSON is read likewise.
 */
export function readJson(text: string): ParsedConfig {
  const first = readText(text, false);
  if (first.matches || !isIndented(sourceOf(text), opens, closes)) return first.parsed;
  return readText(text, true).parsed;
}

const opens = ({ text, to }: Source): boolean => '{['.includes(text.charAt(to - 1));
const closes = ({ text, from }: Source): boolean => '}]'.includes(text.charAt(from));

/**
 * Reads a text once; `recovers` lets the columns of lines decide which brackets match.
 *
 * @returns the configuration, and whether every bracket has a counterpart
 */
function readText(text: string, recovers: boolean): { parsed: ParsedConfig; matches: boolean } {
  const parsed: ParsedConfig = { lines: [], warnings: [], braces: true };
  let open = null as ConfigLine | null;
  let matches = true;
  /** The open brackets: their column, their line, and their closing character. */
  const brackets: { column: number; line: number; closer: string }[] = [];
  let column = 0;
  let isFirst = true;
  const warnOf = (at: number, reason: string) => {
    matches = false;
    parsed.warnings.push({ line: at, reason });
  };
  const close = (end: string) => {
    if (open) open.end = end;
    open = open?.parent ?? null;
    brackets.pop();
  };
  /** Closes the brackets that the current line has left by its column. */
  const leaveTo = (left: number) => {
    for (let top = brackets.at(-1); top && top.column >= left; top = brackets.at(-1)) {
      if (words.length > 0) add();
      warnOf(top.line, 'the bracket is not closed');
      close(top.closer);
    }
  };
  let words: string[] = [];
  let line = 1;
  let begun = 1;
  /** End of the current line as last searched for, and the last line that has an unclosed quote. */
  let lineEnd = -1;
  let unclosed = 0;
  const add = (): ConfigLine => {
    const node: ConfigLine = {
      text: words.join(' '),
      line: words.length > 0 ? begun : line,
      indent: 0,
      parent: open,
      children: [],
    };
    (open?.children ?? parsed.lines).push(node);
    words = [];
    return node;
  };
  const word = (from: number, to: number) => {
    if (words.length === 0) begun = line;
    words.push(text.slice(from, to));
    return to;
  };
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 10) {
      line++;
      column = columnOf(text, at + 1);
      isFirst = true;
    }
    if (code === 10 || isBlank(code) || code === COLON) {
      at++;
      continue;
    }
    const begins = isFirst;
    isFirst = false;
    if (recovers && begins) leaveTo(code === 125 || code === 93 ? column + 1 : column);
    if (code === COMMA) {
      if (words.length > 0) add();
      at++;
    } else if (code === 123 || code === 91) {
      open = add();
      brackets.push({ column, line, closer: code === 123 ? '}' : ']' });
      at++;
    } else if (code === 125 || code === 93) {
      if (words.length > 0) add();
      const top = brackets.at(-1);
      const isOwn = !recovers || (begins ? top?.column === column : top?.line === line);
      if (!top || !isOwn) warnOf(line, 'the closing bracket has no opening bracket');
      else {
        if (top.closer !== text.charAt(at))
          warnOf(line, 'the closing bracket does not match the opening bracket');
        close(recovers ? top.closer : text.charAt(at));
      }
      at++;
    } else if (code === 34) {
      // A JSON string ends on its line.
      if (lineEnd < at) lineEnd = endOfLine(text, at);
      const closed = unclosed === line ? -1 : closingQuote(text, at + 1, lineEnd);
      if (closed === -1) unclosed = line;
      if (closed === -1) parsed.warnings.push({ line, reason: 'a quote is not closed' });
      at = word(at, closed === -1 ? endOfWord(text, at) : closed + 1);
    } else at = word(at, endOfWord(text, at));
  }
  if (words.length > 0) add();
  if (open) warnOf(open.line, 'the bracket is not closed');
  return { parsed, matches };
}

/** Returns the column of a line's first non-blank character. */
function columnOf(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text.charCodeAt(at))) at++;
  return at - from;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

const COMMA = 44;
const COLON = 58;

function endOfWord(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 10 || isBlank(code) || '{}[],:"'.includes(text.charAt(at))) return at;
    at++;
  }
  return at;
}
