import { withoutFinal } from '#server/kernel/text/without-final.ts';
import { openDecoder } from './decode.ts';

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
  /** Discards the current line, which was a pager's prompt and not output, however the device erases it. */
  wipe: () => void;
};

/** Maximum length of a line in characters; the rest is truncated. */
const LONGEST = 1_000_000;

/** The width that devices assume which do not read that of the terminal. */
const COLUMNS = 80;

/** Maximum length of an escape sequence; a longer one is ignored. */
const ESCAPE = 512;

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
  /** No further line is kept. */
  let full = false;
  /** A line was cut. */
  let cut = false;
  let line = '';
  let column = 0;
  /** Part of the line was overwritten: trailing blanks are erasures by the device. */
  let written = false;
  /** The cursor may be at the beginning of a second row of the line: the next character shows it. */
  let wraps = false;
  /** `wipe` discarded the line, and nothing was received since. */
  let wiped = false;
  /** Row to which the cursor was last moved. */
  let row: number | null = null;
  let sequence = '';

  const end = () => {
    if (wiped) {
      wiped = false;
      line = '';
      column = 0;
      return;
    }
    const text = written ? withoutFinal(line, ' ') : line;
    full ||= size + text.length + 1 > most;
    if (!full) {
      lines.push(text);
      size += text.length + 1;
    }
    line = '';
    column = 0;
    written = false;
    wraps = false;
  };
  const put = (text: string) => {
    wiped = false;
    if (wraps) {
      wraps = false;
      line = line.slice(0, -1);
      column = line.length;
    }
    const room = LONGEST - column;
    if (text.length > room) cut = true;
    const fits = text.length > room ? text.slice(0, room) : text;
    if (column === line.length) line += fits;
    else if (fits !== '') {
      written = true;
      const before = column > line.length ? line.padEnd(column) : line.slice(0, column);
      line = before + fits + line.slice(column + fits.length);
    }
    column += fits.length;
  };
  const goTo = (to: number) => {
    column = Math.max(0, Math.min(to, ESCAPE * 4));
  };
  const back = () => {
    wiped = false;
    wraps = false;
    column = Math.max(0, column - 1);
    written = true;
  };

  /** Executes a complete CSI sequence, given its parameters and its final character. */
  const act = (parameters: string, last: string) => {
    wraps = false;
    const [first = '', second = ''] = parameters.split(';');
    const count = Math.max(1, Number.parseInt(first, 10) || 1);
    if ('DKPJ'.includes(last)) wiped = false;
    switch (last) {
      case 'D':
        written = true;
        return goTo(column - count);
      case 'C':
        return goTo(column + count);
      case 'G':
        return goTo(count - 1);
      case 'K':
        written = true;
        if (first === '1') line = ' '.repeat(Math.min(column, line.length)) + line.slice(column);
        else if (first === '2') line = '';
        else line = line.slice(0, column);
        return;
      case 'P':
        line = line.slice(0, column) + line.slice(column + count);
        return;
      case '@':
        line = line.slice(0, column) + ' '.repeat(Math.min(count, ESCAPE)) + line.slice(column);
        return;
      case 'J':
        if (first === '2' || first === '3') {
          if (line.trim() !== '') end();
        } else line = line.slice(0, column);
        return;
      case 'H':
      case 'f': {
        const to = Number.parseInt(first, 10) || 1;
        if (row !== null && to !== row && line.trim() !== '') end();
        row = to;
        return goTo((Number.parseInt(second, 10) || 1) - 1);
      }
      default:
    }
  };

  const control = (code: number) => {
    switch (code) {
      case 0x0a:
        row = row === null ? null : row + 1;
        return end();
      case 0x0d:
        // A line editor that assumes 80 columns moves to the next row by a blank, which the row has no place for.
        wraps = !written && column === line.length && column % COLUMNS === 1 && line.endsWith(' ');
        column = 0;
        return;
      case 0x08:
        return back();
      case 0x09:
        return put('\t');
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
      let at = sequence === '' ? 0 : escaped(text, 0);
      while (at < text.length) {
        CONTROL.lastIndex = at;
        const found = CONTROL.exec(text);
        const next = found ? found.index : text.length;
        if (next > at) put(text.slice(at, next));
        if (!found) break;
        control(text.charCodeAt(next));
        at = sequence === '' ? next + 1 : escaped(text, next + 1);
      }
    },
    line: () => (written ? line.slice(0, Math.max(withoutFinal(line, ' ').length, column)) : line),
    lines: () => lines,
    take() {
      const taken = { lines, truncated: full || cut };
      lines = [];
      size = 0;
      full = false;
      cut = false;
      return taken;
    },
    wipe() {
      line = '';
      column = 0;
      written = true;
      wiped = true;
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
