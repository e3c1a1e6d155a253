import type { BlockRule } from './grammar.ts';
import { type BlockPlan, behindWords } from './plan.ts';
import { isBlank, nextLine, rawLine, type Source, wordsBetween } from './source.ts';

/** Ends that were looked for and are not in the rest of the text: looking again would take the square of its length. */
export type Missing = Set<string>;

/**
 * A block as it was read: its lines and the number of the first (none where the line closes it itself), and the line
 * that opens it where that is to be told otherwise; or why it is none.
 */
export type Block = { text?: string; line: number; head?: string } | { reason: string };

/**
 * Read the block that the current line opens, and stop at its last line.
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
    if (ends === 'delimiter') return rest < to ? delimited(source, rest, caretC, missing) : undefined;
    return untilLine(source, ends, missing);
  }
  return undefined;
}

/** The lines within a brace, whatever they hold; the line where it closes is read as any other. */
function withinBrace(source: Source, missing: Missing): Block | undefined {
  if (missing.has('}')) return undefined;
  const line = source.line + 1;
  const lines: string[] = [];
  const ahead = { ...source };
  let within = { ...source };
  let depth = 1;
  while (nextLine(ahead)) {
    depth += braces(ahead);
    if (depth <= 0) {
      Object.assign(source, within);
      return lines.length === 0 ? undefined : { text: lines.join('\n'), line };
    }
    lines.push(rawLine(ahead));
    within = { ...ahead };
  }
  missing.add('}');
  return { reason: 'the brace is not closed' };
}

/** Braces that the current line opens, less those that it closes; escaped ones count for nothing. */
function braces({ text, from, to }: Source): number {
  let depth = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === 92) at++;
    else if (code === 123) depth++;
    else if (code === 125) depth--;
  }
  return depth;
}

const CARET_C = '^C';
const END_OF_TEXT = '\u0003';

function delimited(source: Source, at: number, caretC: boolean, missing: Missing): Block | undefined {
  const { text, from, to, line } = source;
  // A delimiter beyond Latin 1 is none that a device takes, and each would be looked for in the whole text.
  if (text.charCodeAt(at) > 255) return undefined;
  const delimiter = text.startsWith(CARET_C, at) ? CARET_C : text.charAt(at);
  const body = at + delimiter.length;
  const again = missing.has(delimiter) ? -1 : text.indexOf(delimiter, body);
  if (again === -1) {
    missing.add(delimiter);
    return { reason: `the text that ${shown(delimiter)} opens is not closed` };
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

/** Whether a text holds `^C`, which would close it earlier. */
function holds(text: string, from: number, to: number): boolean {
  const at = text.indexOf(CARET_C, from);
  return at !== -1 && at < to;
}

const shown = (delimiter: string) => (delimiter === END_OF_TEXT ? CARET_C : delimiter);

function untilLine(source: Source, ends: Exclude<BlockRule['ends'], string>, missing: Missing): Block {
  const mark = 'line' in ends ? ends.line : ends.head;
  const { text } = source;
  let at = missing.has(mark) ? -1 : text.indexOf(mark, source.next);
  while (at !== -1 && !(beginsLine(text, at) && ('head' in ends || endsLine(text, at + mark.length)))) {
    at = text.indexOf(mark, at + 1);
  }
  if (at !== -1) return linesTo(source, at);
  missing.add(mark);
  return { reason: `the text is not closed by a line ${mark}` };
}

/** How far blanks are looked through around a mark: a longer run of them is no line that a device writes. */
const NEAR = 256;

function beginsLine(text: string, from: number): boolean {
  let at = from - 1;
  while (at > from - NEAR && at >= 0 && isBlank(text.charCodeAt(at))) at--;
  return at < 0 || text.charCodeAt(at) === 10;
}

function endsLine(text: string, from: number): boolean {
  let at = from;
  while (at < from + NEAR && at < text.length && isBlank(text.charCodeAt(at))) at++;
  return at >= text.length || text.charCodeAt(at) === 10;
}

/** The lines that follow, up to the one that holds a place. */
function linesTo(source: Source, place: number): { text: string; line: number } {
  const line = source.line + 1;
  const lines: string[] = [];
  while (source.next <= place && nextLine(source)) lines.push(rawLine(source));
  return { text: lines.join('\n'), line };
}

/** The hexadecimal lines that follow, with the `quit` or `exit` that ends them. */
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

/** Whether the current line is groups of hexadecimal digits. */
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
