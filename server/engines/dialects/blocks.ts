import type { BlockRule } from './dialect.ts';
import { type BlockPlan, behindWords } from './plan.ts';
import { isBlank, nextLine, rawLine, type Source } from './source.ts';

/** Ends that were looked for and are not in the rest of the text: looking again would take the square of its length. */
export type Missing = Set<string>;

/** A block as it was read: its lines, and the number of the first; or why it is none. */
export type Block = { text: string; line: number } | { reason: string };

/**
 * Read the block that the current line opens, and stop at its last line.
 *
 * @returns undefined when the line opens none, or one that it closes itself
 */
export function readBlock(source: Source, plans: readonly BlockPlan[], missing: Missing): Block | undefined {
  const { text, from, to } = source;
  for (const { words, ends } of plans) {
    const rest = behindWords(words, text, from, to);
    if (rest === -1) continue;
    if (ends === 'hex') return hexBlock(source);
    if (ends === 'brace') return beforeBrace(source, missing);
    if (ends === 'delimiter') return rest < to ? delimited(source, rest, missing) : undefined;
    return untilLine(source, ends, missing);
  }
  return undefined;
}

/** The lines before the next `}` at the very left; that one is read as any other. */
function beforeBrace(source: Source, missing: Missing): Block | undefined {
  const { text, next } = source;
  if (text.charCodeAt(next) === 125) return undefined;
  const brace = missing.has('\n}') ? -1 : text.indexOf('\n}', next);
  if (brace !== -1) return linesTo(source, brace - 1);
  missing.add('\n}');
  return { reason: 'the brace is not closed' };
}

const CARET_C = '^C';
const END_OF_TEXT = '\u0003';

function delimited(source: Source, at: number, missing: Missing): Block | undefined {
  const { text, to } = source;
  // A delimiter beyond Latin 1 is none that a device takes, and each would be looked for in the whole text.
  if (text.charCodeAt(at) > 255) return undefined;
  const delimiter = text.startsWith(CARET_C, at) ? CARET_C : text.charAt(at);
  const again = text.indexOf(delimiter, at + delimiter.length);
  if (missing.has(delimiter) || again === -1) {
    missing.add(delimiter);
    return { reason: `the text that ${shown(delimiter)} opens is not closed` };
  }
  return again < to ? undefined : linesTo(source, again);
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
function linesTo(source: Source, place: number): Block {
  const line = source.line + 1;
  const lines: string[] = [];
  while (source.next <= place && nextLine(source)) lines.push(rawLine(source));
  return { text: lines.join('\n').replaceAll(END_OF_TEXT, CARET_C), line };
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
