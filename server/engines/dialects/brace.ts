import type { Missing } from './blocks.ts';
import { readBlock } from './blocks.ts';
import type { ConfigLine, ParsedConfig } from './config-line.ts';
import type { Dialect } from './grammar.ts';
import { rawUnless, takeBlock } from './indent.ts';
import { isPath, PATH_VERBS } from './paths.ts';
import { BLOCK, COMMENT, oneStandsAt, type Plan, planOf, VOLATILE } from './plan.ts';
import {
  closingQuote,
  indexBetween,
  isBlank,
  nextLine,
  rawLine,
  type Source,
  sourceOf,
  wordsBetween,
} from './source.ts';
import { type Statement, wholeStatement } from './statement.ts';

/** A configuration between braces while it is read. */
type Reading = {
  source: Source;
  dialect: Dialect;
  plan: Plan;
  parsed: ParsedConfig;
  missing: Missing;
  /** The innermost line whose brace is open. */
  open: ConfigLine | null;
  last: ConfigLine | null;
};

const OPEN = 123;
const CLOSE = 125;

/**
 * Read a configuration whose lines nest between braces: a line that ends with `{` opens, one that begins with `}`
 * closes, any other is a leaf. Lines that are whole `set` paths are leaves, whatever they hold.
 */
export function readBraced(text: string, dialect: Dialect): ParsedConfig {
  const reading: Reading = {
    source: sourceOf(text),
    dialect,
    plan: planOf(dialect),
    parsed: { lines: [], warnings: [], braces: true },
    missing: new Set(),
    open: null,
    last: null,
  };
  const { source, parsed } = reading;
  while (nextLine(source)) {
    if (source.from < source.to && !skipped(reading)) readLine(reading);
  }
  if (reading.open) parsed.warnings.push({ line: reading.open.line, reason: 'the brace is not closed' });
  return parsed;
}

/** Skip a comment, of several lines too, and what is no configuration. */
function skipped({ source, dialect, plan, missing, parsed }: Reading): boolean {
  const { text, from, to } = source;
  const flag = plan.flags[text.charCodeAt(from)] ?? 0;
  if (flag & VOLATILE && oneStandsAt(dialect.volatile, text, from, to)) return true;
  if (!(flag & COMMENT && oneStandsAt(dialect.comments, text, from, to))) return false;
  if (!text.startsWith('/*', from)) return true;
  const close = missing.has('*/') ? -1 : text.indexOf('*/', from + 2);
  if (close === -1) {
    missing.add('*/');
    parsed.warnings.push({ line: source.line, reason: 'the comment is not closed' });
    return false;
  }
  while (source.next <= close && nextLine(source));
  return true;
}

function readLine(reading: Reading): void {
  const { source, dialect, missing, parsed, open } = reading;
  const { text } = source;
  if (open === null && oneStandsAt(PATH_VERBS, text, source.from, source.to)) {
    const statement = wholeStatement(source, dialect, missing, parsed.warnings) ?? setBeyond(reading);
    if (statement) add(reading, statement.text, statement.raw, statement);
    else {
      const words = wordsBetween(text, source.from, source.to);
      add(reading, words, rawUnless(source, words));
    }
    return;
  }
  const statement = wholeStatement(source, dialect, missing, parsed.warnings) ?? valueBeyond(reading);
  if (statement) {
    const words = withoutTerminator(statement.text, dialect);
    add(reading, words, statement.raw, statement);
    return;
  }
  readBetween(reading, source.from, withoutRemark(source, dialect));
}

/** Read what stands on the current line between two places: closing braces first, then one line. */
function readBetween(reading: Reading, from: number, to: number): void {
  const { source, dialect } = reading;
  const { text } = source;
  let at = from;
  while (at < to && text.charCodeAt(at) === CLOSE && reading.open) {
    reading.open.end = rawLine(source);
    reading.last = reading.open;
    reading.open = reading.open.parent;
    at++;
    while (at < to && (isBlank(text.charCodeAt(at)) || text.charCodeAt(at) === 59)) at++;
  }
  if (at >= to) return;
  const code = text.charCodeAt(at);
  if (code === CLOSE) reading.parsed.warnings.push({ line: source.line, reason: 'the brace closes nothing' });
  else if (text.charCodeAt(to - 1) === OPEN) {
    opens(reading, at, to - 1);
    return;
  } else if (dialect.terminator && hasInner(text, at, to)) {
    readInner(reading, at, to);
    return;
  }
  const words = withoutTerminator(wordsBetween(text, at, to), dialect);
  add(reading, words, rawUnless(source, dialect.terminator ? `${words}${dialect.terminator}` : words));
}

function opens(reading: Reading, from: number, to: number): void {
  const { source, plan, missing, parsed, last } = reading;
  let end = to;
  while (end > from && isBlank(source.text.charCodeAt(end - 1))) end--;
  const adopts = end === from && last && !isPath(last) && last.children.length === 0;
  if (adopts && last.end === undefined && last.parent === reading.open && !last.text.includes('\n')) {
    reading.open = last;
    return;
  }
  const words = wordsBetween(source.text, from, end);
  const node = add(reading, words, rawUnless(source, `${words} {`));
  reading.open = node;
  if ((plan.flags[words.charCodeAt(0)] ?? 0) & BLOCK) {
    takeBlock(node, readBlock(source, plan.blocks, missing), parsed.warnings);
  }
}

function add(
  reading: Reading,
  words: string,
  raw: string | undefined,
  place: { line: number; indent: number } = reading.source,
): ConfigLine {
  const { parsed, dialect, open } = reading;
  const prefix = dialect.prefixes?.find((one) => words.startsWith(one));
  const node: ConfigLine = {
    text: prefix ? words.slice(prefix.length) : words,
    line: place.line,
    indent: place.indent,
    parent: open,
    children: [],
    raw: prefix ? (raw ?? rawLine(reading.source)) : raw,
    end: undefined,
    block: undefined,
  };
  (open?.children ?? parsed.lines).push(node);
  reading.last = node;
  return node;
}

const withoutTerminator = (words: string, { terminator }: Dialect): string =>
  terminator && words.endsWith(terminator) ? words.slice(0, -1).trimEnd() : words;

/** Where the line ends without the remark behind its statement, such as `## SECRET-DATA`. */
function withoutRemark({ text, from, to }: Source, { terminator }: Dialect): number {
  if (!terminator) return to;
  for (let at = indexBetween(text, 35, from + 2, to); at !== -1; at = indexBetween(text, 35, at + 1, to)) {
    const before = text.charCodeAt(at - 2);
    if (isBlank(text.charCodeAt(at - 1)) && (before === 59 || before === OPEN || before === CLOSE))
      return at - 1;
  }
  return to;
}

/** Whether braces or more than one statement stand on a line, outside quotes. */
function hasInner(text: string, from: number, to: number): boolean {
  for (let at = from; at < to - 1; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) {
      const close = closingQuote(text, at + 1, to);
      if (close === -1) return false;
      at = close;
    } else if (code === 59 || (code === OPEN && text.charCodeAt(to - 1) === CLOSE)) return true;
  }
  return false;
}

/** Read the statements and braces of one line. */
function readInner(reading: Reading, from: number, to: number): void {
  const { source } = reading;
  const { text } = source;
  let begun = from;
  const leaf = (end: number) => {
    const words = wordsBetween(text, begun, end).trim();
    if (words) add(reading, words, rawLine(source));
  };
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) {
      const close = closingQuote(text, at + 1, to);
      if (close !== -1) at = close;
    } else if (code === OPEN) {
      while (begun < at && isBlank(text.charCodeAt(begun))) begun++;
      opens(reading, begun, at);
      begun = at + 1;
    } else if (code === 59 || code === CLOSE) {
      leaf(at);
      begun = at + 1;
      if (code === CLOSE && reading.open) {
        reading.open.end = '}';
        reading.last = reading.open;
        reading.open = reading.open.parent;
      }
    }
  }
  leaf(to);
}

/** A value without quotes that goes on below, up to the line that ends with `;`. */
function valueBeyond({ source, dialect, open, missing }: Reading): Statement | undefined {
  const { text, to } = source;
  const ending = text.charCodeAt(to - 1);
  if (!dialect.runsOn || !open || ending === 59 || ending === OPEN || ending === CLOSE) return undefined;
  if (missing.has(';')) return undefined;
  const ends = endOfStatement(text, source.next);
  if (ends !== -1) return joinedTo(source, ends);
  missing.add(';');
  return undefined;
}

function endOfStatement(text: string, from: number): number {
  let at = text.indexOf(';', from);
  while (at !== -1) {
    const next = text.charCodeAt(at + 1);
    if (Number.isNaN(next) || next === 10 || next === 13) return at;
    at = text.indexOf(';', at + 1);
  }
  return -1;
}

/** A value without quotes that goes on below a `set` line, up to the next one. */
function setBeyond({ source, dialect }: Reading): Statement | undefined {
  if (!dialect.runsOn) return undefined;
  const ahead = { ...source };
  let end = -1;
  while (nextLine(ahead)) {
    const { text, from, to } = ahead;
    if (oneStandsAt(PATH_VERBS, text, from, to)) break;
    if (from < to) end = from;
  }
  return end === -1 ? undefined : joinedTo(source, end);
}

/** The statement from the current line to the one that holds a place, its lines apart. */
function joinedTo(source: Source, place: number): Statement {
  const { line, indent, text } = source;
  const lines = [wordsBetween(text, source.from, source.to)];
  const raws = [rawLine(source)];
  while (source.next <= place && nextLine(source)) {
    lines.push(rawLine(source));
    raws.push(rawLine(source));
  }
  return { text: lines.join('\n'), raw: raws.join('\n'), line, indent, to: source.to };
}
