import { randomUUID } from 'node:crypto';
import { noteState } from '#server/domains/network/index.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import { invalid, ServiceError } from '#server/kernel/errors.ts';
import { percentDecoded } from '#server/kernel/text/percent-decoded.ts';
import type { HttpAnswer } from '#server/southbound/http/ports.ts';
import type { ApiOperation, Paging } from '../api-operation.ts';
import { textHeaders } from './answers/answer.ts';
import { checkedBody } from './answers/check-answer.service.ts';
import { noAnswer } from './failures.ts';
import { type OpenIntegration, openIntegration } from './integration.service.ts';
import { listIn, nextPage } from './paging.ts';
import { buildRequest } from './request/request.ts';
import { chosenSchemes, guardedNames } from './security.ts';
import { type Sending, send, withQuery } from './send.service.ts';
import { baseUrl, credentialsOf, effectOf, headersOf, pagingOf, settingsOf } from './target.ts';
import { assertValues } from './value-checks.service.ts';

/** The response of the other system, of any status. */
export type ApiAnswer = {
  /** Whether the status is below 400. */
  ok: boolean;
  /** The URL that was called, without credentials. */
  url: string;
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Parsed JSON, text, `{base64, size}` for other media types; null without a body. */
  body: unknown;
  /** Number of pages that `body` was put together from; only with `allPages`. */
  pages?: number;
};

/** Context of a call, besides its values. */
export type CallOptions = {
  /** Identifies the attempt (`<job>/<task>/<iteration>/<attempt>`); sent in the integration's `idempotencyHeader`. */
  key: string;
  /** Cancels the call; its reason is thrown as is. */
  signal: AbortSignal;
};

type Values = Readonly<Record<string, unknown>>;

/** Most pages of one call. */
const MOST_PAGES = 1000;
/** Most values in the JSON of an answer, all pages together: more would hold up other requests when they are passed on. */
const MOST_VALUES = 1_000_000;
/** Most characters of a URL; servers commonly reject longer ones. */
const LONGEST_URL = 16_000;

/**
 * Calls an operation through an integration.
 *
 * @param name name of the integration, which must be started
 * @param values by the names of the task's incoming values (`bodyContentType`, `requestBodyPayload`, `allPages` among
 *   them); null, "" and absent leave an optional parameter out
 * @returns the response of any status
 * @throws ServiceError NOT_FOUND for an unknown integration; CONFLICT for a stopped one; BAD_REQUEST with all issues for
 *   values that cannot be sent; BAD_GATEWAY, GATEWAY_TIMEOUT or TOO_MANY_REQUESTS with `reason`, `host`, `stage` and
 *   `retryable` when there was no response
 */
export async function callOperation(
  call: SystemContext,
  name: string,
  operation: ApiOperation,
  values: Values,
  options: CallOptions,
): Promise<ApiAnswer> {
  return callIntegration(call, await openIntegration(call, name), operation, values, options);
}

/** Calls an operation like callOperation, through an integration that is open already, and notes whether it answered. */
export async function callIntegration(
  call: SystemContext,
  integration: OpenIntegration,
  operation: ApiOperation,
  values: Values,
  options: CallOptions,
): Promise<ApiAnswer> {
  const log = call.platform.logOf('adapter', integration.name);
  const began = performance.now();
  const callFacts = () => ({ operation: operation.name, ms: Math.round(performance.now() - began) });
  const { row, connection } = integration;
  if (connection.validate === 'strict')
    await assertValues(call.db, row.doc.properties.type, operation, values);
  const sending = sendingOf(integration, operation, values, options);
  try {
    const answer =
      values.allPages === true
        ? await allPages(call, operation, sending, pagingFor(operation, integration, sending))
        : (await answerOf(call, operation, await sent(call, sending), sending)).answer;
    log.debug({ ...callFacts(), status: answer.status }, 'the other side answered');
    if (integration.isStored) await noteState(call, integration.row, null);
    return answer;
  } catch (error) {
    if (error instanceof ServiceError) {
      log.debug({ ...callFacts(), reason: error.extra?.reason ?? error.code }, 'the call got no answer');
      const isAway = error.extra?.stage === 'connect' || error.extra?.reason === 'AUTH_FAILED';
      if (isAway && integration.isStored) await noteState(call, integration.row, error.message);
    }
    throw error;
  }
}

function sendingOf(
  integration: OpenIntegration,
  operation: ApiOperation,
  values: Values,
  { key, signal }: CallOptions,
): Sending {
  const { name, connection, schemes } = integration;
  const base = {
    url: baseUrl(name, connection, operation),
    headers: headersOf(connection),
    query: connection.query ?? {},
    guarded: guardedNames(schemes),
    boundary: `switchyard-${randomUUID()}`,
  };
  const request = buildRequest(operation, values, base);
  const url = withQuery(request.url, request.query);
  if (url.length > LONGEST_URL) throw invalid(['values'], `make a URL longer than ${LONGEST_URL} characters`);
  const chosen = chosenSchemes(operation, schemes, credentialsOf(connection));
  if (chosen === null) {
    const wanted = operation.security.map((one) => Object.keys(one).join(' and ')).join(', or ');
    throw noAnswer(
      { adapter: name, host: new URL(url).hostname, stage: 'login' },
      'AUTH_MISSING',
      `${operation.name} needs ${wanted}: set it in the authentication of the connection`,
    );
  }
  const settings = settingsOf(connection);
  const { idempotencyHeader } = connection;
  return {
    ...request,
    url,
    headers: { ...request.headers, ...(idempotencyHeader && { [idempotencyHeader]: key }) },
    integration,
    settings,
    schemes: chosen,
    effect: effectOf(operation, connection),
    signal,
    maxBytes: settings.maxBytes,
  };
}

type Sent = { url: string; answer: HttpAnswer };

/** Sends a request; the URL of the result holds no credential, even where the other system repeats it in a redirect. */
async function sent(call: SystemContext, sending: Sending): Promise<Sent> {
  const { url, answer } = await send(call, sending);
  return { url: withoutCredentials(url, sending), answer };
}

function withoutCredentials(url: string, { integration }: Sending): string {
  const names = guardedNames(integration.schemes).query;
  const [place = '', query] = url.split(/\?(.*)/s, 2);
  if (query === undefined || names.size === 0) return url;
  const kept = query.split('&').filter((pair) => !names.has(decodedName(pair)));
  return withQuery(place, kept);
}

function decodedName(pair: string): string {
  const name = (pair.split('=', 1)[0] ?? '').replaceAll('+', ' ');
  return percentDecoded(name, name);
}

/**
 * Returns an answer whose body is what the document promises, and how many values it consists of.
 *
 * @throws ServiceError BAD_GATEWAY for another one
 */
async function answerOf(
  call: SystemContext,
  operation: ApiOperation,
  { url, answer }: Sent,
  { integration, method }: Sending,
  maxValues = MOST_VALUES,
): Promise<{ answer: ApiAnswer; values: number }> {
  const { status, headers } = answer;
  const { body, values } =
    method === 'HEAD'
      ? { body: null, values: 0 }
      : await checkedBody(call, integration, operation, answer, maxValues);
  return { answer: { ok: status < 400, url, status, headers: textHeaders(headers), body }, values };
}

function pagingFor(
  operation: ApiOperation,
  { name, connection }: OpenIntegration,
  { effect }: Sending,
): Paging {
  const paging = pagingOf(operation, connection);
  if (!paging) {
    throw invalid(
      ['allPages'],
      `${operation.name} has no paging: set properties.paging of integration ${name}`,
    );
  }
  if (effect !== 'read')
    throw invalid(['allPages'], `${operation.name} may change something: only reads are paged`);
  return paging;
}

/** Reads all pages of a list into one answer; a page with an error status is the answer. */
async function allPages(
  call: SystemContext,
  operation: ApiOperation,
  sending: Sending,
  paging: Paging,
): Promise<ApiAnswer> {
  const { name } = sending.integration;
  const where = { adapter: name, host: new URL(sending.url).hostname, stage: 'request' as const };
  const elements: unknown[] = [];
  const read = new Set<string>();
  let { url, maxBytes } = sending;
  let maxValues = MOST_VALUES;
  let first: string | undefined;
  for (let pages = 1; ; pages += 1) {
    if (pages > MOST_PAGES)
      throw noAnswer(where, 'OUTPUT_LIMIT', `the list has more than ${MOST_PAGES} pages`);
    if (read.has(url))
      throw noAnswer(where, 'PAGING', `page ${pages} of the list is one that was read already`);
    read.add(url);
    const one = await sent(call, { ...sending, url, maxBytes });
    first ??= one.url;
    const { answer, values } = await answerOf(call, operation, one, sending, maxValues);
    maxValues -= values;
    if (!answer.ok) return { ...answer, pages };
    const list = listIn(answer.body, paging.style === 'link' ? undefined : paging.list);
    if (!list) throw noAnswer(where, 'PAGING', `page ${pages} holds no list where paging looks for one`);
    for (const element of list) elements.push(element);
    maxBytes -= one.answer.bytes.length;
    const link = String(one.answer.headers.link ?? '');
    const next = nextPage(paging, { url: one.url, link, body: answer.body }, elements.length);
    if (next === null) return { ...answer, url: first, body: elements, pages };
    const target = 'url' in next ? next.url : withParameter(one.url, next.parameter, next.value);
    if (new URL(target).origin !== new URL(sending.url).origin)
      throw noAnswer(
        where,
        'TARGET_DENIED',
        'the next page is on another host, to which no credential is sent',
      );
    url = withOwnQuery(withoutCredentials(target, sending), sending);
  }
}

/** Returns a URL with the values of the connection's query parameters: in an answer, secret ones are masked. */
const withOwnQuery = (url: string, { integration }: Sending): string =>
  Object.entries(integration.connection.query ?? {}).reduce(
    (whole, [name, value]) =>
      new URL(whole).searchParams.has(name) ? withParameter(whole, name, String(value)) : whole,
    url,
  );

function withParameter(url: string, name: string, value: string): string {
  const [place = '', query = ''] = url.split(/\?(.*)/s, 2);
  const others = query.split('&').filter((pair) => pair !== '' && decodedName(pair) !== name);
  return withQuery(place, [...others, `${encodeURIComponent(name)}=${encodeURIComponent(value)}`]);
}
