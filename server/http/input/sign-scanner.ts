export const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];
const SIGNS = new Set([COMMA, COLON, LIST, LIST_END, OBJECT, OBJECT_END]);

/** Returns whether a sign begins a list or an object. */
export const isOpening = (sign: number) => sign === LIST || sign === OBJECT;
/** Returns whether a sign ends a list or an object. */
export const isClosing = (sign: number) => sign === LIST_END || sign === OBJECT_END;
/** Returns whether a sign opens a list. */
export const isList = (sign: number) => sign === LIST;

/**
 * Finds the signs of JSON text that arrives in pieces of bytes: brackets, commas and colons outside of strings, and the two
 * quotes of each string. A string is skipped by the search for its closing quote, which is much faster than reading it.
 */
export class SignScanner {
  readonly #onSign: (sign: number, at: number) => void;
  #base = 0;
  #inString = false;
  /** Number of backslashes at the end of the last piece, when it ended inside of a string. */
  #escapes = 0;

  /** @param onSign receives a sign, and its position in bytes from the start of the text */
  constructor(onSign: (sign: number, at: number) => void) {
    this.#onSign = onSign;
  }

  scan(piece: Buffer): void {
    for (let at = 0; at < piece.length; at++) {
      if (this.#inString) {
        at = this.#endOfString(piece, at);
        if (at < 0) break;
        this.#inString = false;
        this.#onSign(QUOTE, this.#base + at);
        continue;
      }
      const byte = piece[at] ?? 0;
      if (byte === QUOTE) {
        this.#inString = true;
        this.#escapes = 0;
        this.#onSign(QUOTE, this.#base + at);
      } else if (SIGNS.has(byte)) this.#onSign(byte, this.#base + at);
    }
    this.#base += piece.length;
  }

  /** Returns the index of the quote that closes the open string; -1 when it is not in this piece. */
  #endOfString(piece: Buffer, from: number): number {
    for (let end = piece.indexOf(QUOTE, from); end >= 0; end = piece.indexOf(QUOTE, end + 1)) {
      if (this.#backslashes(piece, from, end) % 2 === 0) return end;
    }
    this.#escapes = this.#backslashes(piece, from, piece.length);
    return -1;
  }

  /** Counts the backslashes directly before an index; when they reach back to `from`, those before this piece count too. */
  #backslashes(piece: Buffer, from: number, end: number): number {
    let count = 0;
    while (end - count > from && piece[end - 1 - count] === BACKSLASH) count += 1;
    return end - count === from ? count + this.#escapes : count;
  }
}
