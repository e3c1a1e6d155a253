import { openDecoder } from './decode.ts';

/** What came since the last `take`: lines that ended, without their ends. */
export type TakenLines = { lines: string[]; truncated: boolean };

/** A terminal of one line: what a person would read of the bytes that a device sends. */
export type Screen = {
  feed: (bytes: Buffer) => void;
  /** The line that has not ended yet, as it stands. */
  line: () => string;
  /** Lines that have ended and were not taken. */
  lines: () => readonly string[];
  take: () => TakenLines;
  /** The line so far was a pager's: it is no output, however the device takes it away. */
  wipe: () => void;
};

/** Longest line that is kept: what has no end is no line. */
const LONGEST = 1_000_000;

/** Longest escape sequence; a longer one is none. */
const ESCAPE = 512;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/g;

/**
 * @param most characters of lines that are kept until they are taken; what is beyond is counted as truncated
 */
export function openScreen(most: number): Screen {
  const decode = openDecoder();
  let lines: string[] = [];
  let size = 0;
  let truncated = false;
  let line = '';
  let column = 0;
  /** The line was written over: blanks at its end are the device's way of taking away. */
  let written = false;
  /** A pager's line was taken away by us, and nothing came since. */
  let wiped = false;
  /** Row that the cursor was last sent to. */
  let row: number | null = null;
  let sequence = '';

  const end = () => {
    if (wiped) {
      wiped = false;
      line = '';
      column = 0;
      return;
    }
    const text = written ? line.replace(/ +$/, '') : line;
    truncated ||= size + text.length + 1 > most;
    if (!truncated) {
      lines.push(text);
      size += text.length + 1;
    }
    line = '';
    column = 0;
    written = false;
  };
  const put = (text: string) => {
    wiped = false;
    if (column === line.length) {
      if (line.length < LONGEST) line += text;
      else truncated = true;
    } else {
      written = true;
      const before = column > line.length ? line.padEnd(column) : line.slice(0, column);
      line = before + text + line.slice(column + text.length);
    }
    column = Math.min(LONGEST, column + text.length);
  };
  const goTo = (to: number) => {
    column = Math.max(0, Math.min(to, ESCAPE * 4));
  };
  const back = () => {
    wiped = false;
    column = Math.max(0, column - 1);
    written = true;
  };

  /** A sequence that is whole: CSI parameters and its last character. */
  const act = (parameters: string, last: string) => {
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

  /** Takes what belongs to an escape sequence; how many characters that were. */
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
    line: () =>
      written
        ? line.replace(/ +$/, (blanks) =>
            blanks.slice(0, Math.max(0, column - (line.length - blanks.length))),
          )
        : line,
    lines: () => lines,
    take() {
      const taken = { lines, truncated };
      lines = [];
      size = 0;
      truncated = false;
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

/** Whether an escape sequence is whole: CSI, OSC and the strings that end as it does, a charset, or two characters. */
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
