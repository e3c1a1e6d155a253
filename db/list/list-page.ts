/** Separates two documents of a page: JSON text from the database has no line break of its own. */
const BETWEEN = ',\n';

/** The columns of a page, as the server sent them; null for NULL. */
export type PageColumns = readonly (Uint8Array | null)[];

/** One page of a list. The documents stay as the bytes that the database sent, unless a caller reads `texts`. */
export class ListPage {
  /** The documents of the page in order, as JSON text in UTF-8 with commas between them. */
  readonly body: Uint8Array;
  /** The number of documents on the page. */
  readonly count: number;
  /** The number of all matches. */
  readonly total: number;
  readonly #marks: string;

  constructor(body: Uint8Array, { count, total, marks }: { count: number; total: number; marks: string }) {
    this.body = body;
    this.count = count;
    this.total = total;
    this.#marks = marks;
  }

  /** Each document of the page as JSON text, in order. */
  get texts(): string[] {
    return this.count === 0 ? [] : textsIn(this.body);
  }

  /** For each document whether it is marked (`marks` of the resource). */
  get marked(): boolean[] {
    return Array.from({ length: this.count }, (_, at) => this.#marks[at] === '1');
  }
}

/** Returns the documents of a body as separate JSON texts; the body is not empty. */
export const textsIn = (body: Uint8Array): string[] => decode(body).split(BETWEEN);

/** Returns bytes of the server as text. */
export const decode = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');

/** Returns documents as the body of a page. @param texts JSON texts of the documents */
export const bodyOf = (texts: readonly string[]): Uint8Array => Buffer.from(texts.join(BETWEEN));
