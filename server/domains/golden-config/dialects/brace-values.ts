import { CLOSE_BRACE, NEWLINE, OPEN_BRACE, OPEN_BRACKET, RETURN, SEMICOLON } from '../parsing/characters.ts';
import type { ConfigLine } from '../parsing/config-line.ts';
import { PATH_VERBS } from '../parsing/paths.ts';
import { oneStandsAt } from '../parsing/plan.ts';
import { nextLine, rawLine, type Source, wordsBetween } from '../parsing/source.ts';
import type { BracedText } from './brace-recovery.ts';
import type { Statement } from './statement.ts';

/**
 * Returns the values in brackets that the current line opens, where later lines close it: one statement, as if it were
 * on one line. A bracket that is still open at the next brace or list belongs to the text of its line.
 */
export function listBeyond({ source, parsed }: BracedText): Statement | undefined {
  const { text, line, indent, to } = source;
  if (text.charCodeAt(to - 1) !== OPEN_BRACKET) return undefined;
  const words = [wordsBetween(text, source.from, to)];
  const ahead = { ...source };
  while (nextLine(ahead)) {
    const last = text.charCodeAt(ahead.to - 1);
    if (ahead.from === ahead.to) continue;
    if (last === OPEN_BRACE || last === OPEN_BRACKET || text.charCodeAt(ahead.from) === CLOSE_BRACE) break;
    words.push(wordsBetween(text, ahead.from, ahead.to));
    if (!/^\] ?;?$/.test(words.at(-1) ?? '')) continue;
    Object.assign(source, ahead);
    return { text: words.join(' '), line, indent };
  }
  parsed.warnings.push({ line, reason: 'the bracket is not closed' });
  return undefined;
}

/** Returns an unquoted value that continues on later lines, up to the line that ends with `;`. */
export function valueBeyond({ source, dialect, open, missing, recovers }: BracedText): Statement | undefined {
  const { text, to } = source;
  const ending = text.charCodeAt(to - 1);
  if (!dialect.runsOn || !open || ending === SEMICOLON || ending === OPEN_BRACE || ending === CLOSE_BRACE)
    return undefined;
  if (missing.has(';')) return undefined;
  const ends = endOfStatement(text, source.next);
  if (ends !== -1) return recovers && hasStatement(source, ends, open) ? undefined : joinedTo(source, ends);
  missing.add(';');
  return undefined;
}

/** Returns whether statements come before the end of a value, which then has lost its own end. */
function hasStatement(source: Source, end: number, open: ConfigLine): boolean {
  const { text } = source;
  const ahead = { ...source };
  while (ahead.next <= end && nextLine(ahead)) {
    const { from, to, indent } = ahead;
    if (from === to) continue;
    if (indent === source.indent || (indent === open.indent && text.charCodeAt(from) === CLOSE_BRACE))
      return true;
  }
  return false;
}

function endOfStatement(text: string, from: number): number {
  let at = text.indexOf(';', from);
  while (at !== -1) {
    const next = text.charCodeAt(at + 1);
    if (Number.isNaN(next) || next === NEWLINE || next === RETURN) return at;
    at = text.indexOf(';', at + 1);
  }
  return -1;
}

/** Returns an unquoted value that continues below a `set` line, up to the next path line or volatile line. */
export function setBeyond({ source, dialect }: BracedText): Statement | undefined {
  if (!dialect.runsOn) return undefined;
  const ahead = { ...source };
  let end = -1;
  while (nextLine(ahead)) {
    const { text, from, to } = ahead;
    if (oneStandsAt(PATH_VERBS, text, from, to) || oneStandsAt(dialect.volatile, text, from, to)) break;
    if (from < to) end = from;
  }
  return end === -1 ? undefined : joinedTo(source, end);
}

/** Joins the lines from the current one to the one that contains `place`, separated by line breaks. */
function joinedTo(source: Source, place: number): Statement {
  const { line, indent, text } = source;
  const lines = [wordsBetween(text, source.from, source.to)];
  while (source.next <= place && nextLine(source)) lines.push(rawLine(source));
  return { text: lines.join('\n'), line, indent };
}
