import { type Issue, refused } from '#server/kernel/errors.ts';
import type { Exchange, Reply } from '#server/southbound/orchestrator/ports.ts';

/** What a caller asks an orchestrator for (contract/endpoints#4.1). */
export type ExchangeRequest = {
  path: string;
  accept: string;
  method?: string | undefined;
  contentType?: string | undefined;
};

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type HttpMethod = (typeof METHODS)[number];

const MEDIA = /^[A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+*-]+$/;

/** Most characters of a path; servers refuse longer ones with less to say. */
const LONGEST = 8000;

/**
 * A request fit to be sent: below `/restconf` or `/api`, nowhere else on the host (contract/endpoints#4.1).
 *
 * @throws ServiceError BAD_REQUEST with every issue
 */
export function exchangeOf(
  { path, accept, method = 'POST', contentType }: ExchangeRequest,
  body: Readonly<Record<string, unknown>> | undefined,
): Exchange {
  const issues: Issue[] = [];
  const say = (member: string, message: string) =>
    void issues.push({ path: ['params', member], message, code: 'custom' });
  const known = METHODS.find((one) => one === method.toUpperCase());
  if (!known) say('method', `must be one of ${METHODS.join(', ')}`);
  const fault = pathFault(path);
  if (fault) say('path', fault);
  if (!MEDIA.test(accept)) say('accept', 'must be a media type: application/yang-data+json');
  const carries = known !== undefined && carriesBody(known, body);
  if (contentType !== undefined && !MEDIA.test(contentType)) {
    say('contentType', 'must be a media type: application/yang-data+json');
  } else if (contentType !== undefined && carries && !contentType.endsWith('json')) {
    say('contentType', 'must be JSON, which the body is: application/yang-data+json');
  }
  if (!known || issues.length > 0) throw refused(issues);
  return {
    method: known,
    path: encoded(path),
    accept,
    ...(carries && { contentType, body: JSON.stringify(body) }),
  };
}

/** An empty body of POST or DELETE says nothing, and an action without input takes none. */
const carriesBody = (method: HttpMethod, body: Readonly<Record<string, unknown>> | undefined) => {
  if (body === undefined || method === 'GET' || method === 'HEAD') return false;
  return method === 'PUT' || method === 'PATCH' || Object.keys(body).length > 0;
};

/** Why a path may not be sent; null when it may. */
export function pathFault(path: string): string | null {
  if (path.length > LONGEST) return `is longer than ${LONGEST} characters`;
  if (!/^\/(restconf|api)(?=[/?]|$)/.test(path)) return 'must begin with /restconf or /api';
  if ([...path].some((sign) => sign < ' ' || sign === '\u007f')) return 'must not hold control characters';
  if (/[\\#]/.test(path)) return 'must not hold \\ or #';
  const place = path.split('?', 1)[0] ?? '';
  const plain = decoded(place);
  if (plain === null || decoded(path) === null) return 'is not percent-encoded as it should be';
  if ([...plain].some((sign) => sign < ' ' || sign === '\u007f')) return 'must not hold control characters';
  if (place.includes('//')) return 'must not hold empty segments';
  // Decoded twice, and split after: the other side, or something in front of it, may do either.
  if (
    (decoded(plain) ?? plain)
      .split(/[/\\]/)
      .some((segment) => /^\.{1,2}$/.test(segment.split(';', 1)[0] ?? ''))
  )
    return 'must not hold . or .. as a segment';
  return null;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Signs that a request line cannot carry, percent-encoded; what is encoded already stays. */
const encoded = (path: string) =>
  path.replace(/[^\x21-\x7e]|["<>^`{|}]/gu, (sign) => encodeURIComponent(sign));

/** The entry that an action answers with (contract/endpoints#4.1). */
export const entryOf = ({ status, content, errors }: Reply) => ({
  result: String(status),
  ...(content !== undefined && { body: content }),
  ...(errors.length > 0 && { errors }),
});
