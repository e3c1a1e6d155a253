import type { Dialect } from '#server/platforms/record/grammar.ts';
import type { ConfigLine, ParsedConfig, ParseWarning } from '../parsing/config-line.ts';
import { BLOCK, CLOSER, COMMENT, oneStandsAt, planOf, VOLATILE } from '../parsing/plan.ts';
import { listsValues } from '../parsing/print.ts';
import { isPlain, nextLine, rawLine, type Source, sourceOf, wordsBetween } from '../parsing/source.ts';
import { type Block, type Missing, readBlock } from './blocks.ts';
import { closeRecovered, closersMatch, isAligned, recoveredColumn, withKnownTop } from './indent-recovery.ts';
import { type Statement, wholeStatement } from './statement.ts';

/**
 * Reads a configuration whose lines nest by indentation: the parent of a line is the nearest previous line that is
 * further left and not closed. An indented first line is at the top level. Flat dialects nest nothing.
 */
export function readIndented(text: string, dialect: Dialect): ParsedConfig {
  const first = readText(text, dialect, false);
  if (closersMatch(first, dialect) || !isAligned(text, dialect)) return first;
  const known = withKnownTop(text, dialect);
  return closersMatch(first, known) ? first : readText(text, known, true);
}

/** A text that is being read, up to its current line. */
type IndentedText = {
  source: Source;
  dialect: Dialect;
  /** For damaged text, where the lines around a line correct its column. */
  recovers: boolean;
  parsed: ParsedConfig;
  missing: Missing;
  /** The last line that was read; null at the beginning and after a separator. */
  last: ConfigLine | null;
};

function readText(text: string, dialect: Dialect, recovers: boolean): ParsedConfig {
  const source = sourceOf(text);
  const { flags } = planOf(dialect);
  const parsed: ParsedConfig = { lines: [], warnings: [] };
  const reading: IndentedText = { source, dialect, recovers, parsed, missing: new Set(), last: null };
  while (nextLine(source)) {
    if (source.from === source.to) continue;
    const code = text.charCodeAt(source.from);
    const flag = code < 128 ? (flags[code] ?? 0) : 0;
    if (flag === 0 || !isNoLine(reading, flag)) readLine(reading, flag);
  }
  return parsed;
}

/** Returns whether the current line closes a section, is a comment, or is one that devices change by themselves. */
function isNoLine(reading: IndentedText, flag: number): boolean {
  const { source, dialect, parsed, recovers, last } = reading;
  const { text, from, to } = source;
  if (flag & CLOSER && closes(last, source, dialect, parsed, recovers)) return true;
  if (flag & COMMENT && oneStandsAt(dialect.comments, text, from, to)) {
    if (source.indent === 0 && isSeparator(source, dialect)) reading.last = null;
    return true;
  }
  return (flag & VOLATILE) !== 0 && oneStandsAt(dialect.volatile, text, from, to);
}

function readLine(reading: IndentedText, flag: number): void {
  const { source, dialect, recovers, parsed, missing, last } = reading;
  const { text, from, to } = source;
  const column = recovers ? recoveredColumn(last, source, dialect, parsed) : source.indent;
  const joins = dialect.multilineQuotes || dialect.continued;
  const joined = joins ? wholeStatement(source, dialect, missing, parsed.warnings) : undefined;
  if (joined && closesJoined(reading, joined)) return;
  const node: ConfigLine = {
    text: joined?.text ?? (isPlain(source) ? text.slice(from, to) : wordsBetween(text, from, to)),
    line: joined?.line ?? source.line,
    indent: column,
    parent: dialect.structure === 'indent' ? parentOf(last, column) : null,
    children: [],
    end: undefined,
    block: undefined,
  };
  if (dialect.commaLists && node.parent && listsValues(node.parent.text, dialect)) dropComma(node);
  (node.parent?.children ?? parsed.lines).push(node);
  reading.last = node;
  if (flag & BLOCK) takeBlock(node, readBlock(source, planOf(dialect).blocks, missing), parsed.warnings);
}

/** Closes a section by a word that was written over several lines. @returns whether there is one */
function closesJoined({ last, dialect, parsed }: IndentedText, { text, indent }: Statement): boolean {
  const section = dialect.closers.includes(text) ? sectionClosed(last, indent, dialect, parsed) : undefined;
  if (section) section.end = `${' '.repeat(indent)}${text}`;
  return section !== undefined;
}

/** Removes the comma that only parts a value of a list from the next one. */
function dropComma(node: ConfigLine): void {
  if (node.text.endsWith(',')) node.text = node.text.slice(0, -1).trimEnd();
}

/** Returns the nearest line, from the last one backwards, that is further left and not closed. */
export function parentOf(last: ConfigLine | null, indent: number): ConfigLine | null {
  let parent = last;
  while (parent && (parent.indent >= indent || parent.end !== undefined)) parent = parent.parent;
  return parent;
}

const isSeparator = ({ text, from, to }: Source, { separator }: Dialect): boolean =>
  separator !== undefined && to - from === separator.length && text.startsWith(separator, from);

/** Closes the section that the current line ends; returns whether the line is handled. */
function closes(
  last: ConfigLine | null,
  source: Source,
  dialect: Dialect,
  parsed: ParsedConfig,
  recovers: boolean,
): boolean {
  const { text, from, to, indent } = source;
  const closer = dialect.closers.find((one) => one.length === to - from && text.startsWith(one, from));
  if (closer !== undefined && recovers) return closeRecovered(last, source, dialect, parsed);
  if (closer !== undefined && dialect.closersInside && isMisplaced(last, source)) {
    parsed.warnings.push({ line: source.line, reason: `${closer} closes nothing` });
    return true;
  }
  const section = closer === undefined ? undefined : sectionClosed(last, indent, dialect, parsed);
  if (section) section.end = rawLine(source);
  else if (closer !== undefined)
    parsed.warnings.push({ line: source.line, reason: `${closer} closes nothing` });
  return section !== undefined;
}

/**
 * Returns whether a line that closes the section around it is in no column of that section: further right than its lines,
 * or left of them while the next line still belongs to it.
 */
function isMisplaced(last: ConfigLine | null, source: Source): boolean {
  const section = parentOf(last, source.indent);
  const first = section?.children[0];
  if (section) return first !== undefined && first.indent !== source.indent;
  const ahead = { ...source };
  while (nextLine(ahead))
    if (ahead.from < ahead.to) return last?.parent != null && ahead.indent > source.indent;
  return false;
}

/** Returns the open section that a closing line at this indentation closes: the last before it, or the one around it. */
export function sectionClosed(
  last: ConfigLine | null,
  indent: number,
  { closersInside }: Dialect,
  { lines }: ParsedConfig,
): ConfigLine | undefined {
  const parent = parentOf(last, indent);
  const section = closersInside ? (parent ?? undefined) : (parent?.children ?? lines).at(-1);
  return section?.end === undefined && !section?.block ? section : undefined;
}

/** Adds a block below the line that opens it. An unclosed block causes a warning, and its lines are read like others. */
export function takeBlock(node: ConfigLine, block: Block | undefined, warnings: ParseWarning[]): void {
  if (!block) return;
  if (block.reason !== undefined) warnings.push({ line: node.line, reason: block.reason });
  if (!('line' in block)) return;
  const { text, line, head } = block;
  if (head !== undefined) node.text = head;
  if (text === undefined) return;
  node.children.push({
    text,
    line,
    indent: 0,
    parent: node,
    children: [],
    end: undefined,
    block: true,
  });
}
