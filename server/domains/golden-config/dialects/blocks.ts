import type { BlockRule } from '#server/platforms/record/grammar.ts';
import { BACKSLASH, CLOSE_BRACE, NEWLINE, OPEN_BRACE } from '../parsing/characters.ts';
import { type BlockPlan, behindWords } from '../parsing/plan.ts';
import { isBlank, nextLine, rawLine, type Source, wordsBetween } from '../parsing/source.ts';

/** End marks that the rest of the text does not contain: searching for them again would take quadratic time. */
export type Missing = Set<string>;

/**
 * A block as read: its text (absent when the opening line also closes it), its first line number, and `head`, the
 * rewritten opening line. `reason` is a problem that was found; it comes alone when there is no block.
 */
export type Block =
  | { text?: string; line: number; head?: string; reason?: string }
  | { text?: undefined; reason: string };

/**
 * Reads the block that the current line opens, up to the block's last line.
 *
 * @returns undefined when the line opens none
 */
export function readBlock(source: Source, plans: readonly BlockPlan[], missing: Missing): Block | undefined {
  const { text, from, to } = source;
  const code = text.charCodeAt(from);
  for (const { words, ends, caretC } of plans) {
    if (words[0]?.charCodeAt(0) !== code) continue;
    const rest = behindWords(words, text, from, to);
    if (rest === -1) continue;
    if (ends === 'hex') return hexBlock(source);
    if (ends === 'brace') return withinBrace(source, missing);
    if (ends === 'delimiter')
      return rest < to ? delimited(source, rest, caretC, missing, plans) : withoutDelimiter(words);
    return untilLine(source, { words, ends }, missing, plans);
  }
  return undefined;
}

/**
 * Reads the lines within a brace verbatim; the line that closes it is read like any other. A script with unmatched braces
 * ends at the last closing brace in the column of its first line, before the next section.
 */
function withinBrace(source: Source, missing: Missing): Block | undefined {
  if (missing.has('}')) return undefined;
  const { text, indent } = source;
  const line = source.line + 1;
  const lines: string[] = [];
  const ahead = { ...source };
  let within = { ...source };
  let depth = 1;
  /** The last line before a closing brace in the section's column, and the number of lines before that brace. */
  let last: { within: Source; count: number } | undefined;
  const block = (to: Source, count: number, reason?: string): Block | undefined => {
    Object.assign(source, to);
    if (count === 0) return reason === undefined ? undefined : { reason };
    return { text: lines.slice(0, count).join('\n'), line, ...(reason && { reason }) };
  };
  while (nextLine(ahead)) {
    const { from, to } = ahead;
    const atSection = from < to && ahead.indent === indent;
    if (atSection && SECTION.test(text.slice(from, to)))
      return last && block(last.within, last.count, 'the braces of the script do not match');
    if (atSection && to === from + 1 && text.charCodeAt(from) === CLOSE_BRACE)
      last = { within: { ...within }, count: lines.length };
    depth += braces(ahead);
    if (depth <= 0 && !continues(ahead, indent)) return block(within, lines.length);
    lines.push(rawLine(ahead));
    within = { ...ahead };
  }
  if (last && depth !== 0) return block(last.within, last.count, 'the braces of the script do not match');
  missing.add('}');
  return { reason: 'the brace is not closed' };
}

/** The first line of a BIG-IP section; no script contains one. */
const SECTION = /^(?:analytics|apm|asm|auth|cli|cm|gtm|ilx|ltm|net|pem|security|sys|vcmp|wom) .*\{$/;

/** Returns whether a script continues after the line that closes its braces: the next line is code, not a section. */
function continues(source: Source, indent: number): boolean {
  const ahead = { ...source };
  while (nextLine(ahead)) {
    const { text, from, to } = ahead;
    if (from === to) continue;
    return (
      ahead.indent > indent ||
      text.charCodeAt(from) === CLOSE_BRACE ||
      /^when \S.*\{$/.test(text.slice(from, to))
    );
  }
  return false;
}

/** Returns the number of braces that the current line opens minus those it closes; ignores escaped ones. */
function braces({ text, from, to }: Source): number {
  let depth = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === OPEN_BRACE) depth++;
    else if (code === CLOSE_BRACE) depth--;
  }
  return depth;
}

/** Reports a missing delimiter of a banner; other texts may be left at their default. */
const withoutDelimiter = ([word]: readonly string[]): Block | undefined =>
  word === 'banner' || word === 'header' ? { reason: 'the delimiter of the text is missing' } : undefined;

const CARET_C = '^C';
const END_OF_TEXT = '\u0003';

function delimited(
  source: Source,
  at: number,
  caretC: boolean,
  missing: Missing,
  plans: readonly BlockPlan[],
): Block | undefined {
  const { text, from, to, line } = source;
  // Devices accept no delimiter beyond Latin-1, and each would be searched for in the whole text.
  if (text.charCodeAt(at) > 255) return undefined;
  const delimiter = text.startsWith(CARET_C, at) ? CARET_C : text.charAt(at);
  const body = at + delimiter.length;
  const again = missing.has(delimiter) ? -1 : text.indexOf(delimiter, body);
  if (again === -1) missing.add(delimiter);
  if (again === -1 || (again >= to && opensAnother(source, again, delimiter, plans))) {
    return { reason: `the text opened by ${shown(delimiter)} is not closed` };
  }
  const renamed = delimiter === END_OF_TEXT || (caretC && delimiter !== CARET_C && !holds(text, body, again));
  const opening = renamed ? `${wordsBetween(text, from, at)}${CARET_C}` : '';
  if (again < to) {
    if (!renamed) return undefined;
    const behind = wordsBetween(text, again + 1, to);
    return { line, head: `${opening}${wordsBetween(text, body, again)}${CARET_C}${behind}` };
  }
  const head = renamed ? { head: `${opening}${wordsBetween(text, body, to)}` } : {};
  const block = linesTo(source, again);
  if (!renamed) return block;
  const last = again - source.start;
  const kept = block.text.length - (source.to - source.start);
  const closing = rawLine(source);
  const ending = `${closing.slice(0, last)}${CARET_C}${closing.slice(last + 1)}`;
  return { ...block, ...head, text: `${block.text.slice(0, kept)}${ending}` };
}

/** Returns whether a part of a text contains `^C`, which would close it earlier; does not search beyond that part. */
const holds = (text: string, from: number, to: number): boolean => text.slice(from, to).includes(CARET_C);

const shown = (delimiter: string) => (delimiter === END_OF_TEXT ? CARET_C : delimiter);

/** Lines that devices show in a configuration and that nobody writes into a banner. */
const STATEMENT = new RegExp(
  `^(?:${[
    'interface [A-Za-z][\\w-]* ?\\d[\\d/.:]*$',
    'router (?:bgp|ospf|isis|eigrp|rip)\\b',
    'line (?:con|vty|aux|console|tty) ',
    'user-interface (?:con|vty|aux)',
    '(?:hostname|sysname) \\S+$',
    'vlan \\d[\\d,-]*$',
    'ip route \\d',
    'ip access-list (?:standard|extended) ',
    'ntp server \\S+$',
    'snmp-server (?:community|host) ',
    'aaa (?:new-model|authentication|authorization|group) ?',
    'username \\S+ (?:privilege|password|secret) ',
    'bgp \\d+$',
    'end$',
    'return$',
  ].join('|')})`,
);

/**
 * Returns whether the delimiter found below a banner does not end it: it opens the next banner, or statements come before
 * it. `^C` occurs only in banners, so statements before it may be banner text.
 */
function opensAnother(
  source: Source,
  again: number,
  delimiter: string,
  plans: readonly BlockPlan[],
): boolean {
  const { text } = source;
  const proves = delimiter !== CARET_C && delimiter !== END_OF_TEXT;
  const ahead = { ...source };
  while (ahead.next <= again && nextLine(ahead)) {
    const { from, to } = ahead;
    if (to > again) return plans.some(({ words }) => behindWords(words, text, from, to) === again);
    if (proves && STATEMENT.test(text.slice(ahead.start, to))) return true;
  }
  return false;
}

/**
 * Returns whether another text opens before the line that ends this one or, in a banner, several statements come before it:
 * one line may read like a statement by chance.
 */
function textOpens(
  source: Source,
  place: number,
  words: readonly string[],
  plans: readonly BlockPlan[],
): boolean {
  const { text } = source;
  const isBanner = words[0] === 'banner';
  let statements = 0;
  const ahead = { ...source };
  while (nextLine(ahead) && ahead.to <= place) {
    const { from, to } = ahead;
    if (plans.some((plan) => typeof plan.ends === 'object' && behindWords(plan.words, text, from, to) === to))
      return true;
    if (isBanner && STATEMENT.test(text.slice(ahead.start, to)) && ++statements > 1) return true;
  }
  return false;
}

function untilLine(
  source: Source,
  { words, ends }: { words: readonly string[]; ends: Exclude<BlockRule['ends'], string> },
  missing: Missing,
  plans: readonly BlockPlan[],
): Block {
  const mark = 'line' in ends ? ends.line : ends.head;
  const { text } = source;
  let at = missing.has(mark) ? -1 : text.indexOf(mark, source.next);
  while (at !== -1 && !(beginsLine(text, at) && ('head' in ends || endsLine(text, at + mark.length)))) {
    at = text.indexOf(mark, at + 1);
  }
  if (at === -1) missing.add(mark);
  else if (!textOpens(source, at, words, plans)) return linesTo(source, at);
  return { reason: `the text is not closed by a line ${mark}` };
}

/** Number of blanks searched around a mark; devices write no longer runs. */
const NEAR = 256;

function beginsLine(text: string, from: number): boolean {
  let at = from - 1;
  while (at > from - NEAR && at >= 0 && isBlank(text.charCodeAt(at))) at--;
  return at < 0 || text.charCodeAt(at) === NEWLINE;
}

function endsLine(text: string, from: number): boolean {
  let at = from;
  while (at < from + NEAR && at < text.length && isBlank(text.charCodeAt(at))) at++;
  return at >= text.length || text.charCodeAt(at) === NEWLINE;
}

/** Reads the following lines, up to the one that contains `place`. */
function linesTo(source: Source, place: number): { text: string; line: number } {
  const line = source.line + 1;
  const lines: string[] = [];
  while (source.next <= place && nextLine(source)) lines.push(rawLine(source));
  return { text: lines.join('\n'), line };
}

/** Reads the following hexadecimal lines, with the `quit` or `exit` that ends them. */
function hexBlock(source: Source): Block | undefined {
  const line = source.line + 1;
  const lines: string[] = [];
  const ahead = { ...source };
  while (nextLine(ahead)) {
    const word = ahead.text.slice(ahead.from, Math.min(ahead.to, ahead.from + 5));
    const ends = word === 'quit' || word === 'exit';
    if (!(ends && lines.length > 0) && !isHex(ahead)) break;
    lines.push(rawLine(ahead));
    Object.assign(source, ahead);
    if (ends) break;
  }
  return lines.length === 0 ? undefined : { text: lines.join('\n'), line };
}

/** Returns whether the current line consists of groups of hexadecimal digits. */
function isHex({ text, from, to }: Source): boolean {
  let digits = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    const lower = code | 32;
    if ((code >= 48 && code <= 57) || (lower >= 97 && lower <= 102)) digits++;
    else if (!isBlank(code)) return false;
  }
  return digits >= 2;
}
