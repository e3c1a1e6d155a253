import { jsonOr } from '#server/kernel/json/json-or.ts';
import { COLON, COMMA, isClosing, isList, isOpening, QUOTE, SignScanner } from './sign-scanner.ts';

/** Longest name of a property that is compared with the wanted one, in bytes. */
const LONGEST_NAME = 1024;
const NONE: Buffer = Buffer.alloc(0);

/**
 * Finds the list with a given name in the object of a JSON text that arrives in pieces, and keeps the text without the
 * elements of that list. It does not check the text: who parses the rest and each element does.
 */
export class ListFinder {
  readonly #name: string;
  readonly #scanner = new SignScanner((sign, at) => this.#onSign(sign, at));
  readonly #rest: Buffer[] = [];
  #piece = NONE;
  #base = 0;
  /** Position up to which the text is in `rest` or in the list. */
  #kept = 0;
  #depth = 0;
  #isInList = false;
  /** Start of the last string at depth 1, and its bytes in the pieces before this one; null: longer than any name. */
  #stringFrom = 0;
  #stringBefore: Buffer | null = NONE;
  #isInString = false;
  #isNamed = false;

  /** Lists, objects and their contents so far. */
  values = 1;
  /** Positions of the first byte of the elements and of the bracket behind them; null: no such list. */
  range: { from: number; to: number } | null = null;
  /** Whether the object has several lists of this name. */
  isRepeated = false;

  constructor(name: string) {
    this.#name = name;
  }

  take(piece: Buffer): void {
    this.#piece = piece;
    this.#scanner.scan(piece);
    if (!this.#isInList) {
      this.#keep(this.#base + piece.length);
      this.#keepString();
    }
    this.#base += piece.length;
  }

  /** @returns the text with an empty list in place of the found one */
  rest(): Buffer {
    return Buffer.concat(this.#rest);
  }

  #onSign(sign: number, at: number): void {
    if (sign === COMMA || isOpening(sign)) this.values += 1;
    if (isOpening(sign)) this.#open(sign, at);
    else if (isClosing(sign)) this.#close(at);
    else if (this.#depth !== 1) return;
    else if (sign === QUOTE) this.#quote(at);
    else this.#isNamed = sign === COLON && this.#nameBefore() === this.#name;
  }

  #open(sign: number, at: number): void {
    const isWanted = this.#depth === 1 && this.#isNamed && isList(sign);
    this.#depth += 1;
    this.#isNamed = false;
    if (!isWanted) return;
    if (this.range) {
      this.isRepeated = true;
      return;
    }
    this.#isInList = true;
    this.range = { from: at + 1, to: at + 1 };
    this.#keep(at + 1);
  }

  #close(at: number): void {
    this.#depth -= 1;
    if (!this.#isInList || this.#depth !== 1) return;
    this.#isInList = false;
    if (this.range) this.range.to = at;
    this.#kept = at;
  }

  #quote(at: number): void {
    this.#isInString = !this.#isInString;
    if (!this.#isInString) return;
    this.#stringFrom = at;
    this.#stringBefore = NONE;
  }

  /** Copies the text up to a position: the memory of a piece is used again. */
  #keep(to: number): void {
    const from = Math.max(this.#kept, this.#base);
    if (to > from) this.#rest.push(Buffer.from(this.#piece.subarray(from - this.#base, to - this.#base)));
    this.#kept = to;
  }

  #keepString(): void {
    if (this.#depth !== 1 || this.#stringBefore === null) return;
    const joined = Buffer.concat([this.#stringBefore, this.#stringInPiece()]);
    this.#stringBefore = joined.length > LONGEST_NAME ? null : joined;
  }

  /** Returns the bytes of the string in this piece, with those behind it: one more than a name may have. */
  #stringInPiece(): Buffer {
    const from = Math.max(0, this.#stringFrom - this.#base);
    return this.#piece.subarray(from, from + LONGEST_NAME + 1);
  }

  /** Returns the string before a colon; null when it is no name that could be meant. */
  #nameBefore(): string | null {
    if (this.#stringBefore === null) return null;
    const text = Buffer.concat([this.#stringBefore, this.#stringInPiece()]).toString('utf8');
    const written = /^"(?:[^"\\]|\\.)*"/s.exec(text)?.[0];
    if (written === undefined) return null;
    return jsonOr(written, null) as string | null;
  }
}

/**
 * Splits the elements of a list that is read in pieces.
 *
 * @param pieces bytes between the brackets of the list; each one may be overwritten once the next is asked for
 * @returns for each piece the elements that end in it; the last one ends with the list and is blank when the list is empty
 */
export async function* elementsOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer[]> {
  let depth = 0;
  let base = 0;
  let begun: Buffer[] = [];
  const commas: number[] = [];
  const scanner = new SignScanner((sign, at) => {
    if (isOpening(sign)) depth += 1;
    else if (isClosing(sign)) depth -= 1;
    else if (sign === COMMA && depth === 0) commas.push(at);
  });
  for await (const piece of pieces) {
    scanner.scan(piece);
    const elements: Buffer[] = [];
    let from = 0;
    for (const comma of commas.splice(0)) {
      const end = piece.subarray(from, comma - base);
      elements.push(begun.length === 0 ? end : Buffer.concat([...begun, end]));
      begun = [];
      from = comma - base + 1;
    }
    if (from < piece.length) begun.push(Buffer.from(piece.subarray(from)));
    base += piece.length;
    if (elements.length > 0) yield elements;
  }
  yield [Buffer.concat(begun)];
}
