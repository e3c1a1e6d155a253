import { type Issue, invalidRequest } from '#server/kernel/errors.ts';
import { percentDecoded } from '#server/kernel/text/percent-decoded.ts';
import type { Exchange, Reply } from '#server/southbound/orchestrator/ports.ts';

/** A caller's request to an orchestrator (contract/endpoints#4.1). */
export type ExchangeRequest = {
  path: string;
  accept: string;
  method?: string | undefined;
  contentType?: string | undefined;
};

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type HttpMethod = (typeof METHODS)[number];

const MEDIA = /^[A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+*-]+$/;

/** Maximum length of a path; servers reject longer ones with less helpful errors. */
const LONGEST = 8000;

/**
 * Returns a validated request, limited to paths below `/restconf` or `/api` (contract/endpoints#4.1).
 *
 * @throws ServiceError BAD_REQUEST with all issues
 */
export function exchangeOf(
  { path, accept, method = 'POST', contentType }: ExchangeRequest,
  body: Readonly<Record<string, unknown>> | undefined,
): Exchange {
  const issues: Issue[] = [];
  const say = (field: string, message: string) =>
    void issues.push({ path: ['params', field], message, code: 'custom' });
  const known = METHODS.find((one) => one === method.toUpperCase());
  if (!known) say('method', `must be one of ${METHODS.join(', ')}`);
  const fault = pathFault(path);
  if (fault) say('path', fault);
  if (!MEDIA.test(accept)) say('accept', 'must be a media type such as application/yang-data+json');
  const carries = known !== undefined && carriesBody(known, body);
  if (contentType !== undefined && !MEDIA.test(contentType)) {
    say('contentType', 'must be a media type such as application/yang-data+json');
  } else if (contentType !== undefined && carries && !contentType.endsWith('json')) {
    say(
      'contentType',
      'must be a JSON media type such as application/yang-data+json, because the body is JSON',
    );
  }
  if (!known || issues.length > 0) throw invalidRequest(issues);
  return {
    method: known,
    path: encoded(path),
    accept,
    ...(carries && { contentType, body: JSON.stringify(body) }),
  };
}

/** Returns whether a body is sent: not an empty one of POST or DELETE, as actions without input accept none. */
const carriesBody = (method: HttpMethod, body: Readonly<Record<string, unknown>> | undefined) => {
  if (body === undefined || method === 'GET' || method === 'HEAD') return false;
  return method === 'PUT' || method === 'PATCH' || Object.keys(body).length > 0;
};

/** Returns why a path may not be sent; null when it may. */
export function pathFault(path: string): string | null {
  if (path.length > LONGEST) return `is longer than ${LONGEST} characters`;
  if (!/^\/(restconf|api)(?=[/?]|$)/.test(path)) return 'must begin with /restconf or /api';
  if ([...path].some((sign) => sign < ' ' || sign === '\u007f')) return 'must not contain control characters';
  if (/[\\#]/.test(path)) return 'must not contain \\ or #';
  const place = path.split('?', 1)[0] ?? '';
  const plain = decoded(place);
  if (plain === null || decoded(path) === null) return 'has an invalid percent-encoding';
  if ([...plain].some((sign) => sign < ' ' || sign === '\u007f'))
    return 'must not contain control characters';
  if (place.includes('//')) return 'must not contain empty segments';
  // Decoded twice and split afterwards, because the remote system or a proxy may do either.
  if (
    (decoded(plain) ?? plain)
      .split(/[/\\]/)
      .some((segment) => /^\.{1,2}$/.test(segment.split(';', 1)[0] ?? ''))
  )
    return 'must not contain . or .. as a segment';
  return null;
}

const decoded = (text: string): string | null => percentDecoded(text, null);

/** Percent-encodes characters that a request line cannot have; encoded ones stay unchanged. */
const encoded = (path: string) =>
  path.replace(/[^\x21-\x7e]|["<>^`{|}]/gu, (sign) => encodeURIComponent(sign));

/** Returns the response entry of an action (contract/endpoints#4.1). */
export const entryOf = ({ status, content, errors }: Reply) => ({
  result: String(status),
  ...(content !== undefined && { body: content }),
  ...(errors.length > 0 && { errors }),
});
