import { headerNameFault, headerValueFault } from '#server/domains/integrations/index.ts';
import { isAbsent } from '#server/kernel/json/objects.ts';
import type { RestReply, RestRequest } from '#server/southbound/rest/ports.ts';
import type { TaskOutcome } from '../tasks/outcome.ts';
import { broken, succeeded } from './finish.ts';
import { object, oneOf, optional, shown, type TaskInput, TaskInputError } from './task-input.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
type HttpMethod = (typeof METHODS)[number];

/** Returns the method, given in any case. @throws TaskInputError */
export const methodOf = (incoming: TaskInput, name: string): HttpMethod =>
  oneOf({ [name]: String(incoming[name] ?? '').toUpperCase() }, name, METHODS);

/** Returns headers as they are sent. @throws TaskInputError naming one that is not allowed or not valid */
export function headersOf(incoming: TaskInput, name: string): Record<string, string> {
  const given = Object.entries(optional(object, incoming, name, {})).filter(([, value]) => value !== null);
  return Object.fromEntries(
    given.map(([header, value]) => {
      const written = shown(value);
      const fault = headerNameFault(header) ?? headerValueFault(written);
      if (fault) throw new TaskInputError(`${name}.${header.slice(0, 100)}`, fault);
      return [header, written];
    }),
  );
}

/** Returns the body: text as it is, anything else as JSON; none for GET and HEAD. */
export function contentOf(
  body: unknown,
  method: HttpMethod,
  headers: Readonly<Record<string, string>>,
): Pick<RestRequest, 'headers' | 'body'> {
  const isEmpty = isAbsent(body);
  if (isEmpty || method === 'GET' || method === 'HEAD') return { headers };
  const isTyped = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
  return { headers: isTyped ? headers : { ...headers, 'Content-Type': type }, body: shown(body) };
}

/** Returns query parameters: lists repeat the name, null is omitted. */
export function queryOf(incoming: TaskInput, name: string): string {
  const query = new URLSearchParams();
  for (const [parameter, value] of Object.entries(optional(object, incoming, name, {}))) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined) query.append(parameter, shown(one));
    }
  }
  return query.toString();
}

/** Returns a path with parameters appended to those that it has. */
export const withQuery = (path: string, query: string): string =>
  query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;

/** Returns the outcome of a call; an error response is an error, which carries the response. */
export function outcomeOf(called: string, reply: RestReply, outgoing: TaskOutcome['outgoing']): TaskOutcome {
  if (reply.status < 400) return succeeded(outgoing);
  const { status, body } = reply;
  return { ...broken(`${called} responded with status ${status}`, { status, response: body }), outgoing };
}

/** Returns an error in the format of adapters: workflows read these fields. */
export const asAdapters = (displayString: string, { status, body }: Pick<RestReply, 'status' | 'body'>) => ({
  IAPerror: { displayString, code: status, raw_response: { status, response: shown(body) } },
});

/** Returns why a path would not stay below the base path of its adapter; null when it does. */
export function pathFault(path: string): string | null {
  if (!path.startsWith('/') || path.length > 8000) return 'must be a path that begins with /';
  if (/[\\#]/.test(path) || [...path].some((sign) => sign <= ' ' || sign === '\u007f')) {
    return 'must not contain \\, #, spaces or control characters';
  }
  const place = path.split('?', 1)[0] ?? '';
  const isUp = /(^|\/)(\.|%2e){1,2}(\/|%2f|;|$)/i.test(place);
  return isUp ? 'must not contain . or .. as a segment' : null;
}
