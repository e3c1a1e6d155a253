import { CursorLine } from './cursor-line.ts';
import { openDecoder } from './decode.ts';
import { COLUMNS } from './wire.ts';

/** Complete lines received since the last `take`, without line ends. */
export type TakenLines = { lines: string[]; truncated: boolean };

/** A single-line terminal: it turns the bytes of a device into the text that a user would see. */
export type Screen = {
  feed: (bytes: Buffer) => void;
  /** Returns the current, incomplete line. */
  line: () => string;
  /** Returns complete lines that were not taken yet. */
  lines: () => readonly string[];
  take: () => TakenLines;
  /** Returns about how much memory the lines hold that were not taken yet, in bytes. */
  held: () => number;
  /** Returns whether the device has asked the terminal something, and written nothing since. */
  isAsked: () => boolean;
  /** Returns the answers to such questions, once; empty where nothing was asked. */
  takeAnswer: () => string;
  /** Discards the current line, which was a pager's prompt and not output, however the device erases it. */
  wipe: () => void;
  /** Learns how the device ends lines from what it has sent: one that sent carriage returns alone ends its lines with them. */
  learnLineEnd: () => void;
};

/** Maximum length of an escape sequence; a longer one is ignored. */
const ESCAPE = 512;

/** Rows below the cursor that are kept. */
const MOST_BELOW = 100;

/** Length from which no further answer is added to those that were not taken yet. */
const MOST_ANSWER = 64;

/** Memory of a line besides its text, in bytes. */
const LINE_BYTES = 32;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/g;

/**
 * Opens a screen, which turns what a device sends into lines as a terminal would show them.
 *
 * @param most maximum number of characters kept until they are taken; the rest is dropped and reported as truncated
 */
export function openScreen(most: number): Screen {
  const decode = openDecoder();
  let lines: string[] = [];
  let size = 0;
  /** Bytes since the last `take`: a short line may keep all of the piece in memory with which it came. */
  let fed = 0;
  /** No further line is kept. */
  let full = false;
  const line = new CursorLine();
  /** Rows below the cursor, nearest first, where the device has moved it up: what it shows below its prompt. */
  let below: string[] = [];
  /** Row to which the cursor was last moved. */
  let row: number | null = null;
  let sequence = '';
  /** The answers to questions for the terminal, until anything is written behind these. */
  let answer = '';
  /** Which line ends the device has sent. */
  const sent = { lineFeed: false, carriageReturn: false };
  /** A carriage return ends a line, and a line feed that follows it belongs to it. */
  let endsByReturn = false;
  let isReturned = false;

  const end = () => {
    const text = line.end();
    const next = below.shift();
    if (next !== undefined) line.enter(next);
    if (text === null) return;
    full ||= size + text.length + 1 > most;
    if (full) return;
    lines.push(text);
    size += text.length + 1;
  };

  /** Moves the cursor up, to rows that were not taken yet; its column stays. */
  const moveUp = (rows: number) => {
    const passed = lines.splice(Math.max(0, lines.length - rows));
    const [top] = passed;
    if (full || top === undefined) return void lines.push(...passed);
    below = [...passed.slice(1), line.shown(), ...below].slice(0, MOST_BELOW);
    size -= passed.reduce((sum, { length }) => sum + length + 1, 0);
    line.enter(top);
  };

  /** Returns what a terminal answers to a sequence: where its cursor is, that it works, or that it is a VT100. */
  const answerTo = (parameters: string, last: string): string => {
    if (last === 'n' && parameters === '6')
      return `\u001b[${row ?? 1};${Math.min(line.column() + 1, COLUMNS)}R`;
    if (last === 'n' && parameters === '5') return '\u001b[0n';
    return last === 'c' && (parameters === '' || parameters === '0') ? '\u001b[?1;2c' : '';
  };

  /** Executes a complete CSI sequence, given its parameters and its final character. */
  const act = (parameters: string, last: string) => {
    const [first = '', second = ''] = parameters.split(';');
    line.edit(last, first);
    if (answer.length < MOST_ANSWER) answer += answerTo(parameters, last);
    if (last === 'A') moveUp(Math.max(1, Number.parseInt(first, 10) || 1));
    if (last === 'J') {
      below = [];
      if (first !== '2' && first !== '3') line.eraseRest();
      else if (!line.isBlank()) end();
    } else if (last === 'H' || last === 'f') {
      const to = Number.parseInt(first, 10) || 1;
      if (row !== null && to !== row && !line.isBlank()) end();
      row = to;
      below = [];
      line.moveTo((Number.parseInt(second, 10) || 1) - 1);
    }
  };

  const control = (code: number) => {
    if (code !== 0x1b) answer = '';
    const isSecond = isReturned && code === 0x0a;
    isReturned = endsByReturn && code === 0x0d;
    switch (code) {
      case 0x0a:
        sent.lineFeed = true;
        if (isSecond) return;
        row = row === null ? null : row + 1;
        return end();
      case 0x0d:
        sent.carriageReturn = true;
        return endsByReturn ? end() : line.carriageReturn();
      case 0x08:
        return line.backspace();
      case 0x09:
        return line.put('\t');
      case 0x1b:
        sequence = '\u001b';
        return;
      default:
    }
  };

  /** Consumes the characters of an escape sequence; returns the index after it. */
  const escaped = (text: string, from: number): number => {
    for (let at = from; at < text.length; at++) {
      sequence += text[at];
      const done = ends(sequence);
      if (done === 'no' && sequence.length < ESCAPE) continue;
      if (done === 'csi') act(sequence.slice(2, -1), sequence.slice(-1));
      else if (sequence === '\u001bE') end();
      sequence = '';
      return at + 1;
    }
    return text.length;
  };

  return {
    feed(bytes) {
      const text = decode(bytes);
      if (!full) fed += bytes.length;
      let at = sequence === '' ? 0 : escaped(text, 0);
      while (at < text.length) {
        CONTROL.lastIndex = at;
        const found = CONTROL.exec(text);
        const next = found ? found.index : text.length;
        if (next > at) {
          isReturned = false;
          answer = '';
          line.put(text.slice(at, next));
        }
        if (!found) break;
        control(text.charCodeAt(next));
        at = sequence === '' ? next + 1 : escaped(text, next + 1);
      }
    },
    line: () => line.shown(),
    lines: () => lines,
    take() {
      const taken = { lines, truncated: full || line.isTruncated };
      lines = [];
      size = 0;
      fed = 0;
      full = false;
      line.isTruncated = false;
      return taken;
    },
    held: () => fed + lines.length * LINE_BYTES,
    isAsked: () => answer !== '',
    takeAnswer() {
      const taken = answer;
      answer = '';
      return taken;
    },
    wipe: () => line.wipe(),
    learnLineEnd() {
      endsByReturn = sent.carriageReturn && !sent.lineFeed;
    },
  };
}

/** Returns whether an escape sequence is complete: CSI, OSC and similar strings, a charset, or two characters. */
function ends(sequence: string): 'csi' | 'other' | 'no' {
  const kind = sequence[1];
  const last = sequence.charCodeAt(sequence.length - 1);
  if (kind === '[') return sequence.length > 2 && last >= 0x40 && last <= 0x7e ? 'csi' : 'no';
  if (kind === ']' || kind === 'P' || kind === '_' || kind === '^') {
    return last === 0x07 || (sequence.length > 2 && sequence.endsWith('\u001b\\')) ? 'other' : 'no';
  }
  if (kind === '(' || kind === ')' || kind === '#' || kind === '%' || kind === ' ') {
    return sequence.length > 2 ? 'other' : 'no';
  }
  return 'other';
}
