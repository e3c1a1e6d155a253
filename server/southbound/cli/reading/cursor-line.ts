import { withoutFinal } from '#server/kernel/text/without-final.ts';
import { COLUMNS } from './wire.ts';

/** Maximum length of a line in characters; the rest is truncated. */
const LONGEST = 1_000_000;

/** Widths at which line editors wrap: those that are assumed without asking the terminal, and that of our terminal. */
const WIDTHS = [80, 132, COLUMNS];

/** Right-most column, and number of blanks, that one escape sequence may reach. */
const FARTHEST = 2048;
const MOST_BLANKS = 512;

/** The line at the cursor of a terminal, as the device edits it. */
export class CursorLine {
  /** Whether a line was truncated. */
  isTruncated = false;
  #text = '';
  #column = 0;
  /** Part of the line was overwritten: trailing blanks are erasures by the device. */
  #isOverwritten = false;
  /** The cursor may be at the beginning of a second row of the line: the next character shows it. */
  #mayWrap = false;
  /** `wipe` discarded the line, and nothing was received since. */
  #isWiped = false;

  /** Returns the line as a user sees it now. */
  shown(): string {
    if (!this.#isOverwritten) return this.#text;
    return this.#text.slice(0, Math.max(withoutFinal(this.#text, ' ').length, this.#column));
  }

  /** Returns the column of the cursor, from 0. */
  column(): number {
    return this.#column;
  }

  isBlank(): boolean {
    return this.#text.trim() === '';
  }

  /** Ends the line. @returns its text; null for a line that was wiped */
  end(): string | null {
    const text = this.#isOverwritten ? withoutFinal(this.#text, ' ') : this.#text;
    this.#text = '';
    this.#column = 0;
    if (this.#isWiped) {
      this.#isWiped = false;
      return null;
    }
    this.#isOverwritten = false;
    this.#mayWrap = false;
    return text;
  }

  /** Continues on another row, which has a text already; the cursor keeps its column. */
  enter(text: string): void {
    this.#text = text;
    this.#isOverwritten = true;
    this.#isWiped = false;
    this.#mayWrap = false;
  }

  /** Writes text at the cursor, over what is there. */
  put(text: string): void {
    this.#isWiped = false;
    if (this.#mayWrap) {
      this.#mayWrap = false;
      this.#text = this.#text.slice(0, -1);
      this.#column = this.#text.length;
    }
    const room = LONGEST - this.#column;
    if (text.length > room) this.isTruncated = true;
    const fits = text.length > room ? text.slice(0, room) : text;
    if (this.#column === this.#text.length) this.#text += fits;
    else if (fits !== '') {
      this.#isOverwritten = true;
      const before =
        this.#column > this.#text.length
          ? this.#text.padEnd(this.#column)
          : this.#text.slice(0, this.#column);
      this.#text = before + fits + this.#text.slice(this.#column + fits.length);
    }
    this.#column += fits.length;
  }

  /** Moves the cursor to a column, from 0. */
  moveTo(column: number): void {
    this.#column = Math.max(0, Math.min(column, FARTHEST));
  }

  carriageReturn(): void {
    // A line editor moves to the next row by a blank, which the row has no place for.
    this.#mayWrap =
      !this.#isOverwritten &&
      this.#column === this.#text.length &&
      WIDTHS.some((width) => this.#column > width && this.#column % width === 1) &&
      this.#text.endsWith(' ');
    this.#column = 0;
  }

  backspace(): void {
    this.#isWiped = false;
    this.#mayWrap = false;
    this.#column = Math.max(0, this.#column - 1);
    this.#isOverwritten = true;
  }

  /** Erases from the cursor on. */
  eraseRest(): void {
    this.#text = this.#text.slice(0, this.#column);
  }

  /** Discards the line, which was a pager's prompt and not output, however the device erases it. */
  wipe(): void {
    this.#text = '';
    this.#column = 0;
    this.#isOverwritten = true;
    this.#isWiped = true;
  }

  /**
   * Executes a CSI sequence that moves the cursor within the line, or erases or inserts characters; ignores any other.
   *
   * @param last its final character
   * @param first its first parameter
   */
  edit(last: string, first: string): void {
    this.#mayWrap = false;
    const count = Math.max(1, Number.parseInt(first, 10) || 1);
    if ('DKPJ'.includes(last)) this.#isWiped = false;
    switch (last) {
      case 'D':
        this.#isOverwritten = true;
        this.moveTo(this.#column - count);
        break;
      case 'C':
        this.moveTo(this.#column + count);
        break;
      case 'G':
        this.moveTo(count - 1);
        break;
      case 'K':
        this.#isOverwritten = true;
        this.#erase(first);
        break;
      case 'P':
        this.#text = this.#text.slice(0, this.#column) + this.#text.slice(this.#column + count);
        break;
      case '@':
        this.#text =
          this.#text.slice(0, this.#column) +
          ' '.repeat(Math.min(count, MOST_BLANKS)) +
          this.#text.slice(this.#column);
    }
  }

  /** Erases up to the cursor (1), all of the line (2), or the rest of it. */
  #erase(part: string): void {
    if (part === '1') {
      const blanks = ' '.repeat(Math.min(this.#column, this.#text.length));
      this.#text = blanks + this.#text.slice(this.#column);
    } else if (part === '2') this.#text = '';
    else this.eraseRest();
  }
}
