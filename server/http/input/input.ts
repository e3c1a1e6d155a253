import type { IncomingMessage } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { invalid, ServiceError } from '#server/kernel/errors.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { withoutOuterSlashes } from '#server/kernel/text/without-final.ts';
import { assertStorable } from '#server/kernel/validation/input-sanity.ts';
import type { Operation } from '../operations.ts';
import { assertValues, type BodyLimit, hasBody, readJson, readText } from './body.ts';
import { type BodyInPieces, readInPieces } from './list-body.ts';
import { readQuery } from './query.ts';

type JsonObject = Record<string, unknown>;

/**
 * Returns the input of an operation from path, query and body, in the form that a typed caller sends. Strings become
 * numbers and booleans in path and query only; a body is never coerced (contract/decisions#decoding).
 *
 * @param parameters path parameters, percent-decoded once
 * @param query the part after `?`, without the token
 * @param limit of the body
 * @param written receives the top-level names of the request's query and body
 * @throws ServiceError 400, 413 or 415
 */
export async function readInput(
  operation: Operation,
  parameters: Record<string, string>,
  query: string,
  incoming: IncomingMessage,
  limit: BodyLimit,
  written: Set<string>,
): Promise<unknown> {
  const file = fileField(operation, incoming);
  if (query === '' && operation.parameters.length === 0) {
    if (hasBody(incoming) && !operation.queried) return readBody(operation, incoming, limit);
    if (!hasBody(incoming) && file === undefined)
      return operation.container ? { [operation.container]: {} } : {};
  }
  const queryValues = readQuery(query);
  for (const name of Object.keys(queryValues)) written.add(name);
  const { inQuery = [] } = operation.meta;
  const stray = operation.queried
    ? undefined
    : Object.keys(queryValues).find((name) => !inQuery.includes(name));
  if (stray !== undefined) {
    throw invalid(
      [stray],
      'is a query parameter, but this endpoint reads its body only',
      'unrecognized_keys',
    );
  }
  const fromUrl = urlInput(operation, parameters, queryValues);
  if (!hasBody(incoming)) return file === undefined ? fromUrl : { ...fromUrl, [file]: '' };
  const body = await readBody(operation, incoming, limit);
  for (const name of Object.keys(body)) written.add(name);
  const repeated = operation.parameters.find((name) => Object.hasOwn(body, name));
  if (repeated) throw invalid([repeated], 'is already in the path', 'unrecognized_keys');
  return agree(fromUrl, operation.queried ? gather(operation, body) : body, operation.container);
}

/**
 * Returns the input of a GET operation from path and query alone.
 *
 * @param parameters values of the path's parameters, decoded
 * @param query the part after `?`
 * @throws ServiceError 400
 */
export const readUrl = (
  operation: Operation,
  parameters: Record<string, string>,
  query: string,
): JsonObject => urlInput(operation, parameters, readQuery(query));

function urlInput(operation: Operation, parameters: Record<string, string>, asked: JsonObject): JsonObject {
  const input = operation.decode({ ...gather(operation, asked), ...trimmed(parameters) }) as JsonObject;
  assertStorable(input);
  return input;
}

/** Returns the field that a request with a CSV file has in its body, which may be empty; otherwise undefined. */
const fileField = ({ types, meta }: Operation, { headers }: IncomingMessage): string | undefined =>
  types.includes('text/csv') && /^text\/csv\b/i.test(headers['content-type'] ?? '')
    ? meta.unparsed
    : undefined;

const isJson = ({ headers }: IncomingMessage): boolean =>
  /^application\/json\b/i.test(headers['content-type'] ?? '');

async function readBody(
  operation: Operation,
  incoming: IncomingMessage,
  limit: BodyLimit,
): Promise<JsonObject> {
  const { pieces, unparsed } = operation.meta;
  if (pieces) {
    const read = await readInPieces(incoming, operation.types, limit, pieces);
    return typeof read === 'string' ? jsonObject(read, limit) : withList(read, pieces, limit);
  }
  const text = await readText(incoming, operation.types, limit);
  // A file of another kind is the field itself; in JSON, it is a field among others.
  const isField = isJson(incoming) && operation.types.includes('text/csv');
  if (unparsed && !isField) {
    assertValues(text, limit);
    const isMissing = text.trim() === '' && fileField(operation, incoming) === undefined;
    const whole = isMissing ? {} : { [unparsed]: text };
    assertStorable(whole);
    return whole;
  }
  if (!operation.types.includes('application/json')) {
    const form = readQuery(text);
    assertStorable(form);
    return form;
  }
  const body = jsonObject(text, limit);
  const { bare } = operation.meta;
  return bare && !Object.hasOwn(body, bare) ? { [bare]: body } : body;
}

async function withList({ rest, list }: BodyInPieces, name: string, limit: BodyLimit): Promise<JsonObject> {
  try {
    return { ...jsonObject(rest, limit), ...(list && { [name]: list }) };
  } catch (error) {
    await list?.close();
    throw error;
  }
}

function jsonObject(text: string, limit: BodyLimit): JsonObject {
  // Clients that serialise the body of every request send `null` where there is none.
  const body = (text.trim() === '' ? null : readJson(text, limit)) ?? {};
  if (typeof body !== 'object' || Array.isArray(body)) {
    throw new ServiceError('BAD_REQUEST', 'The body must be a JSON object', {
      issues: [{ path: [], message: 'expected an object', code: 'invalid_type' }],
    });
  }
  assertStorable(body);
  return body as JsonObject;
}

/** Moves the fields of the option object, which may be at the top of a query or under its name, into the option object. */
function gather(operation: Operation, sent: JsonObject): JsonObject {
  const { container, input } = operation;
  if (!container) return sent;
  const members = underOneName(operation, sent);
  const named: JsonObject = {};
  const options: JsonObject = {};
  for (const [name, value] of Object.entries(members)) {
    if (name === container || Object.hasOwn(input.shape, name)) named[name] = value;
    else options[name] = value;
  }
  const prefixed = named[container];
  if (prefixed === undefined) return { ...named, [container]: options };
  return isObject(prefixed)
    ? { ...named, [container]: agree(prefixed, options, null, `${container}.`) }
    : named;
}

/** Other names that some clients use for the options of lists. */
const ALSO_OPTIONS = ['queryParameters', 'options'];

/** Renames the option object where a client uses another name. */
function underOneName({ container, input }: Operation, sent: JsonObject): JsonObject {
  if (container !== 'queryOptions') return sent;
  let members = sent;
  for (const name of ALSO_OPTIONS) {
    const { [name]: options, ...others } = members;
    if (options !== undefined && !Object.hasOwn(input.shape, name))
      members = agree(others, { [container]: options }, container);
  }
  return members;
}

/** Merges two objects; a field given in both must have the same value (contract/decisions#delete). */
function agree(one: JsonObject, other: JsonObject, container: string | null, prefix?: string): JsonObject {
  const both: JsonObject = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const there = both[name];
    if (name === container && isObject(there) && isObject(value)) both[name] = agree(there, value, null);
    else if (Object.hasOwn(both, name) && !isDeepStrictEqual(there, value)) {
      const also = prefix === undefined ? '' : `: see ${prefix}${name}`;
      throw invalid([name], `is given twice, with different values${also}`, 'ambiguous');
    } else both[name] = value;
  }
  return both;
}

/** Removes leading and trailing slashes of path parameters (contract/lifecycle#0.2). */
const trimmed = (parameters: Record<string, string>) =>
  Object.fromEntries(Object.entries(parameters).map(([name, text]) => [name, withoutOuterSlashes(text)]));
