import { type Issue, invalidRequest } from '#server/kernel/errors.ts';
import { isAbsent, ownField } from '#server/kernel/json/objects.ts';
import type { ApiOperation, OperationParameter } from '../../api-operation.ts';
import { chosenContent, encodedBody } from './body.ts';
import { headerNameFault, headerValueFault } from './header-rules.ts';
import {
  type Encode,
  encodeReserved,
  encodeStrictly,
  pairsOf,
  plainText,
  segmentText,
} from './parameter-text.ts';
import { literalPath, segmentFault } from './paths.ts';

/** Names that only credentials may use, in lower case, by place. */
export type GuardedNames = Readonly<Record<'header' | 'query' | 'cookie', ReadonlySet<string>>>;

/** The server of a call, and what the integration sends with every one. */
export type RequestBase = {
  /** `https://netbox.example.net:8443/api`, without a slash at the end. */
  url: string;
  headers: Readonly<Record<string, string>>;
  query: Readonly<Record<string, unknown>>;
  guarded: GuardedNames;
  /** Separates the parts of a multipart body, which must not hold it. */
  boundary: string;
};

/** A request without credentials. */
export type ApiRequest = {
  method: string;
  /** Absolute, with encoded path. */
  url: string;
  /** Encoded `name=value` pairs. */
  query: readonly string[];
  headers: Readonly<Record<string, string>>;
  /** `name=value` pairs. */
  cookies: readonly string[];
  body?: Buffer;
};

type Values = Readonly<Record<string, unknown>>;
type Say = (name: string, message: string, code?: string) => void;

/** A request to which parameters are being added. */
type Draft = {
  /** The path, split at its `{parameter}` parts. */
  path: string[];
  query: string[];
  cookies: string[];
  /** Headers by their names in lower case. */
  headers: Map<string, { name: string; text: string }>;
  /** Names in the query and the cookies that parameters set. */
  named: Set<string>;
};

/** Names of the incoming values that stand for the body. */
const BODY = { type: 'bodyContentType', payload: 'requestBodyPayload' } as const;

/** Headers that a parameter may declare but that OpenAPI ignores (OpenAPI 3.1 §4.8.12.2); `Accept` is honoured. */
const IGNORED_HEADERS = new Set(['content-type']);

/**
 * Returns the request of an operation. `""`, null and absent leave an optional parameter out.
 *
 * @param values by the names of the operation's parameters, with `bodyContentType` and `requestBodyPayload`
 * @throws ServiceError BAD_REQUEST with all issues: a missing required value, a path value that would leave its segment,
 *   a credential given as a value, a body that its media type cannot carry
 */
export function buildRequest(operation: ApiOperation, values: Values, base: RequestBase): ApiRequest {
  const issues: Issue[] = [];
  const say: Say = (name, message, code = 'custom') => void issues.push({ path: [name], message, code });
  const draft: Draft = {
    path: literalPath(operation.path).split(/(\{[^{}]*\})/),
    query: [],
    cookies: [],
    headers: new Map(
      Object.entries(base.headers).map(([name, text]) => [name.toLowerCase(), { name, text }]),
    ),
    named: new Set(),
  };
  for (const parameter of operation.parameters) {
    const value = sentValue(parameter, values, say);
    if (value !== undefined) place(draft, parameter, value, base.guarded, say);
  }
  const { path, query, cookies, headers, named } = draft;
  for (const [name, value] of Object.entries(base.query)) {
    if (!named.has(name) && !isAbsent(value))
      query.push(...pairsOf(name, value, { style: 'form', explode: true }, encodeStrictly));
  }
  const body = bodyOf(operation, values, base.boundary, say);
  if (body) headers.set('content-type', { name: 'Content-Type', text: body.mediaType });
  const whole = path.join('');
  const fault = issues.length === 0 ? segmentFault(whole) : null;
  if (fault) say('path', fault);
  if (issues.length > 0) throw invalidRequest(issues, `The values of ${operation.name} cannot be sent`);
  const [url = '', fixed] = `${base.url}${whole}`.split('?', 2);
  return {
    method: operation.method,
    url,
    query: [...(fixed ? [fixed] : []), ...query],
    headers: Object.fromEntries([...headers.values()].map(({ name, text }) => [name, text])),
    cookies,
    ...(body && { body: body.bytes }),
  };
}

/** Adds the value of a parameter to the part of the request that it belongs to. */
function place(draft: Draft, parameter: OperationParameter, value: unknown, guarded: GuardedNames, say: Say) {
  const { name, wireName } = parameter;
  if (parameter.in === 'path') return fillIn(draft.path, parameter, value, say);
  if (isGuarded(parameter, guarded))
    return say(name, 'is a credential: it belongs into the authentication of the integration', 'credential');
  if (parameter.in === 'header') return setHeader(draft.headers, parameter, value, say);
  draft.named.add(wireName);
  (parameter.in === 'query' ? draft.query : draft.cookies).push(...textsOf(parameter, value));
}

function setHeader(headers: Draft['headers'], parameter: OperationParameter, value: unknown, say: Say) {
  const { name, wireName } = parameter;
  const text = headerText(parameter, value);
  const fault = headerNameFault(wireName) ?? headerValueFault(text);
  if (fault) return say(name, fault);
  const key = wireName.toLowerCase();
  if (!IGNORED_HEADERS.has(key)) headers.set(key, { name: wireName, text });
}

/** Returns the value to send, or undefined for one that is left out. */
function sentValue(parameter: OperationParameter, values: Values, say: Say): unknown {
  const { name, required, schema } = parameter;
  const given = ownField(values, name);
  if (!isAbsent(given)) return given;
  if (!required && parameter.in !== 'path') return undefined;
  if (given === '' && parameter.in !== 'path') return '';
  if (!isAbsent(schema.default)) return schema.default;
  say(name, 'is missing', 'missing');
  return undefined;
}

function isGuarded({ in: place, wireName }: OperationParameter, guarded: GuardedNames): boolean {
  if (place === 'path') return false;
  const name = place === 'header' ? wireName.toLowerCase() : wireName;
  return guarded[place].has(name);
}

function fillIn(path: string[], parameter: OperationParameter, value: unknown, say: Say) {
  const { name, wireName, style, explode } = parameter;
  const text = parameter.mediaType
    ? encodeStrictly(plainText(value))
    : segmentText(wireName, value, { style, explode }, encodeStrictly);
  const leaves = plainTexts(value).some((one) => one.split(/[/\\]/).some(isDots));
  if (leaves) return say(name, 'must not be . or .., nor hold one of them as a segment');
  if (text === '') return say(name, 'is missing', 'missing');
  for (const [at, part] of path.entries()) if (part === `{${wireName}}`) path[at] = text;
}

const isDots = (text: string) => text === '.' || text === '..';

const plainTexts = (value: unknown): string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(plainTexts) : [plainText(value)];

function headerText({ wireName, style, explode, mediaType }: OperationParameter, value: unknown): string {
  if (mediaType) return plainText(value);
  return segmentText(wireName, value, { style, explode }, (text) => text);
}

function textsOf(parameter: OperationParameter, value: unknown): string[] {
  const { wireName, style, explode, allowReserved, mediaType } = parameter;
  const encode: Encode = allowReserved ? encodeReserved : encodeStrictly;
  if (mediaType) return [`${encodeStrictly(wireName)}=${encode(plainText(value))}`];
  return pairsOf(wireName, value, { style, explode }, encode);
}

function bodyOf({ body, method }: ApiOperation, values: Values, boundary: string, say: Say) {
  const payload = values[BODY.payload];
  if (!body || method === 'TRACE') return undefined;
  if (isAbsent(payload)) {
    if (body.required) say(BODY.payload, 'is missing', 'missing');
    return undefined;
  }
  const chosen = chosenContent(body, values[BODY.type]);
  if (typeof chosen === 'string') return void say(BODY.type, chosen);
  const encoded = encodedBody(payload, chosen.content, chosen.mediaType, boundary);
  if (encoded.fault === undefined) return encoded;
  say([BODY.payload, ...(encoded.field ? [encoded.field] : [])].join('.'), encoded.fault);
  return undefined;
}
