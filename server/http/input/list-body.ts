import type { IncomingMessage } from 'node:http';
import { invalid } from '#server/kernel/errors.ts';
import { assertStorable } from '#server/kernel/validation/input-sanity.ts';
import { ListInPieces } from '#server/kernel/validation/list-in-pieces.ts';
import { assertType, assertWithin, type BodyLimit, parseJson, receive, utf8 } from './body.ts';
import { assertFewValues, importedValues, tooManyValues } from './body-values.ts';
import { elementsOf, ListFinder } from './list-finder.ts';
import { Spool } from './spool.ts';

/** Largest body that is kept in memory, and bytes that are written to a file at once. */
const IN_MEMORY = 4 * 1024 * 1024;
const WRITTEN = 1024 * 1024;

/** A body with a list in pieces: the text without the elements of that list, and the list. */
export type BodyInPieces = { rest: string; list: ListInPieces | null };

/**
 * Reads a JSON body with a long list. A large one is received into a temporary file, and the list is read from there:
 * neither the size of the body nor the speed of the client then decides how much memory or which transaction is held.
 *
 * @param types media types that the endpoint accepts
 * @param name of the list
 * @returns the text of a body of at most 4 MiB, else the body in pieces; the caller closes its list
 * @throws ServiceError as `readText`; 503 when the file cannot be written
 */
export async function readInPieces(
  incoming: IncomingMessage,
  types: readonly string[],
  limit: BodyLimit,
  name: string,
): Promise<string | BodyInPieces> {
  assertType(incoming, types);
  assertWithin(incoming, limit);
  const finder = new ListFinder(name);
  let spool: Spool | undefined;
  let chunks: Buffer[] = [];
  let size = 0;
  const take = () => {
    const piece = Buffer.concat(chunks);
    chunks = [];
    size += piece.length;
    finder.take(piece);
    return piece;
  };
  const store = async () => {
    spool ??= await Spool.open();
    await spool.write(take());
  };
  let waiting = 0;
  try {
    await receive(incoming, limit, (chunk) => {
      chunks.push(chunk);
      waiting += chunk.length;
      if (waiting <= (spool ? WRITTEN : IN_MEMORY)) return undefined;
      waiting = 0;
      return store();
    });
    if (!spool) return utf8(Buffer.concat(chunks));
    await store();
    return await bodyOf(finder, spool, size, name);
  } catch (error) {
    await spool?.close();
    throw error;
  }
}

async function bodyOf(finder: ListFinder, spool: Spool, size: number, name: string): Promise<BodyInPieces> {
  const most = importedValues(size);
  if (finder.values > most) throw tooManyValues(most);
  if (finder.isRepeated) throw invalid([name], 'is given twice', 'ambiguous');
  const rest = utf8(finder.rest());
  const { range } = finder;
  if (!range) {
    await spool.close();
    return { rest, list: null };
  }
  const read = () => parsedPieces(spool.read(range.from, range.to), name);
  return { rest, list: new ListInPieces(name, read, () => spool.close()) };
}

async function* parsedPieces(bytes: AsyncIterable<Buffer>, name: string): AsyncGenerator<unknown[]> {
  let at = 0;
  for await (const elements of elementsOf(bytes)) {
    const texts = elements.map(utf8);
    // The only element of an empty list is the space between its brackets.
    if (at === 0 && texts.length === 1 && texts[0]?.trim() === '') return;
    yield texts.map((text) => parsedElement(text, name, at++));
  }
}

function parsedElement(text: string, name: string, at: number): unknown {
  assertFewValues(text, importedValues(text.length));
  const element = parseJson(text, `The body's ${name}[${at}]`);
  assertStorable(element, [name, at]);
  return element;
}
