import { setImmediate as nextTurn } from 'node:timers/promises';
import { type JsonBounds, type JsonMeasure, measureJson } from './json-excess.ts';

/*
 * A large JSON value as a sequence of texts: a worker thread splits the value, and the calling thread parses the texts
 * and joins them, so that its event loop is never blocked for longer than one text takes.
 */

/** JSON text of a value, or its parts: texts of several elements or properties each, and large ones by themselves. */
export type JsonPieces =
  | string
  | { list: readonly (string | { one: JsonPieces })[] }
  | { members: readonly (string | { name: string; one: JsonPieces })[] };

/** Characters of JSON that one text has at most, unless a single text or number is longer: parsing takes a few milliseconds. */
const PIECE = 256 * 1024;

/**
 * Takes a value apart.
 *
 * @param value as JSON.parse returns it
 * @param most characters of a text
 * @returns JSON texts, each of about `most` characters, in the structure of the value
 */
export function piecesOf(value: unknown, most = PIECE): JsonPieces {
  const text = JSON.stringify(value);
  if (text.length <= most || typeof value !== 'object' || value === null) return text;
  if (Array.isArray(value)) {
    const list: (string | { one: JsonPieces })[] = [];
    const open = collector(most, (texts) => list.push(`[${texts.join(',')}]`));
    for (const element of value) {
      const part = piecesOf(element, most);
      if (typeof part === 'string') open.add(part);
      else {
        open.end();
        list.push({ one: part });
      }
    }
    open.end();
    return { list };
  }
  const members: (string | { name: string; one: JsonPieces })[] = [];
  const open = collector(most, (texts) => members.push(`{${texts.join(',')}}`));
  for (const [name, field] of Object.entries(value)) {
    const part = piecesOf(field, most);
    if (typeof part === 'string') open.add(`${JSON.stringify(name)}:${part}`);
    else {
      open.end();
      members.push({ name, one: part });
    }
  }
  open.end();
  return { members };
}

/** JSON text that was measured and, unless it exceeds a bound, taken apart; null: it is no JSON. */
export type MeasuredPieces = JsonMeasure & { pieces: JsonPieces | null };

/**
 * Measures JSON text and takes it apart, in a thread: of 64 MiB, either takes up to a second.
 *
 * @param input the text, and what it may hold at most
 */
export function piecesOfText(input: { text: string; bounds: JsonBounds }): MeasuredPieces {
  const { text, bounds } = input;
  const measure = measureJson(text, bounds);
  if (measure.excess !== null) return { ...measure, pieces: null };
  try {
    return { ...measure, pieces: piecesOf(JSON.parse(text)) };
  } catch {
    return { ...measure, pieces: null };
  }
}

/** Collects texts until they are as long as a piece. */
function collector(most: number, put: (texts: readonly string[]) => void) {
  let texts: string[] = [];
  let length = 0;
  const end = () => {
    if (texts.length > 0) put(texts);
    texts = [];
    length = 0;
  };
  const add = (text: string) => {
    if (length + text.length > most) end();
    texts.push(text);
    length += text.length;
  };
  return { add, end };
}

/**
 * Puts a value together; between two texts the event loop has its turn.
 *
 * @param pieces as `piecesOf` returns them
 * @returns the value that `piecesOf` was given
 */
export async function joinPieces(pieces: JsonPieces): Promise<unknown> {
  if (typeof pieces === 'string') {
    await nextTurn();
    return JSON.parse(pieces);
  }
  if ('list' in pieces) {
    const joined: unknown[] = [];
    for (const part of pieces.list) {
      if (typeof part !== 'string') joined.push(await joinPieces(part.one));
      else for (const element of (await joinPieces(part)) as unknown[]) joined.push(element);
    }
    return joined;
  }
  const joined: Record<string, unknown> = {};
  for (const part of pieces.members) {
    const some =
      typeof part === 'string' ? await joinPieces(part) : { [part.name]: await joinPieces(part.one) };
    for (const [name, field] of Object.entries(some as object)) setOwn(joined, name, field);
  }
  return joined;
}

/** Sets a property as JSON.parse does: `__proto__` is a name like any other. */
function setOwn(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}
