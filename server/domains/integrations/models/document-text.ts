import { type Issue, ServiceError } from '#server/kernel/errors.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { parseYaml } from '#server/kernel/text/yaml.ts';
import { assertStorable } from '#server/kernel/validation/input-sanity.ts';

/** Longest document, in bytes of its text. */
export const LONGEST_DOCUMENT = 16 * 1024 * 1024;

/** Most aliases of a YAML document that stand for one part: each is a copy of it. */
const MOST_ALIASES = 1000;

/** A document, and its text as JSON: the very text that was sent, where that was JSON. */
export type SentDocument = { document: unknown; json: string };

/** Why a document could not be read: the code of the answer, and its issues. */
export type DocumentReadError = {
  code: 'PARSE_ERROR' | 'BAD_REQUEST' | 'PAYLOAD_TOO_LARGE';
  issues: Issue[];
};

/**
 * Reads a document as it was sent: JSON or YAML, bare or as `model` of an object, there also as text. The text of a JSON
 * document is kept as it is, because numbers of more than 53 bits would change otherwise.
 */
export function readDocument(text: string): SentDocument | DocumentReadError {
  const outer = readText(text);
  if ('code' in outer) return outer;
  const sent = modelOf(outer);
  if ('code' in sent) return sent;
  const inner = typeof sent.document === 'string' ? readText(sent.document) : sent;
  if ('code' in inner) return inner;
  if (!isObject(inner.document))
    return readError('BAD_REQUEST', 'must be an OpenAPI document: an object, or its text');
  if (Buffer.byteLength(inner.json) > LONGEST_DOCUMENT) {
    return readError('PAYLOAD_TOO_LARGE', `must have at most ${LONGEST_DOCUMENT / 1024 / 1024} MiB`);
  }
  return storable(inner);
}

const readError = (code: DocumentReadError['code'], message: string): DocumentReadError => ({
  code,
  issues: [{ path: ['model'], message, code: 'custom' }],
});

/** Parses JSON, or else YAML. */
function readText(text: string): SentDocument | DocumentReadError {
  const json = text.startsWith('\uFEFF') ? text.slice(1) : text;
  try {
    return { document: JSON.parse(json), json };
  } catch {
    // YAML below: all JSON is YAML, but its parser is slower by far.
  }
  try {
    const document: unknown = parseYaml(json, MOST_ALIASES);
    return { document, json: JSON.stringify(document) ?? 'null' };
  } catch (error) {
    const [why = ''] = error instanceof Error ? error.message.split('\n', 1) : [];
    return readError('PARSE_ERROR', `is neither JSON nor YAML: ${why.slice(0, 300)}`);
  }
}

/** Returns the document of a request: the `model` of an object that is no document itself. */
function modelOf(outer: SentDocument): SentDocument | DocumentReadError {
  const { document, json } = outer;
  if (!isObject(document) || 'openapi' in document || 'swagger' in document) return outer;
  const stray = Object.keys(document).filter((name) => name !== 'model');
  if (stray.length > 0 && 'model' in document) {
    const issues = stray.map((name) => ({
      path: [name],
      message: 'is no member of this request: {model} is all of it',
      code: 'unrecognized_keys',
    }));
    return { code: 'BAD_REQUEST', issues };
  }
  if (!('model' in document))
    return readError('BAD_REQUEST', 'is required: an OpenAPI document, or its text');
  return { document: document.model, json: memberText(json, 'model') ?? JSON.stringify(document.model) };
}

/** @returns an error that names the value which cannot be stored */
function storable(sent: SentDocument): SentDocument | DocumentReadError {
  try {
    assertStorable(sent.document);
    return sent;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const issues = (error.issues ?? []).map((one) => ({ ...one, path: ['model', ...one.path] }));
    return { code: 'BAD_REQUEST', issues };
  }
}

/**
 * Returns the text of a property of an object.
 *
 * @param text valid JSON of an object; undefined is returned for anything else
 */
function memberText(text: string, field: string): string | undefined {
  let found: string | undefined;
  let at = skipSpace(text, 0);
  if (text[at] !== '{') return undefined;
  at = skipSpace(text, at + 1);
  while (text[at] === '"') {
    const endOfName = endOfString(text, at);
    const name: unknown = JSON.parse(text.slice(at, endOfName));
    const start = skipSpace(text, skipSpace(text, endOfName) + 1);
    const end = endOfValue(text, start);
    // Of several properties with one name the last one counts, as for the parser.
    if (name === field) found = text.slice(start, end).trimEnd();
    at = skipSpace(text, skipSpace(text, end) + 1);
  }
  return found;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \t\r\n'.includes(text.charAt(at))) at += 1;
  return at;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === '\\') at += 1;
    else if (sign === '"') return at + 1;
  }
  return text.length;
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === '"') at = endOfString(text, at) - 1;
    else if (sign === '{' || sign === '[') depth += 1;
    else if (depth === 0 && (sign === ',' || sign === '}' || sign === ']')) return at;
    else if (sign === '}' || sign === ']') depth -= 1;
  }
  return text.length;
}
