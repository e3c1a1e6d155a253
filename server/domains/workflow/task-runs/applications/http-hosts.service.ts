import { sendHttp } from '#server/domains/network/index.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import type { EffectRun, TaskOutcome } from '../../tasks/outcome.ts';
import { broken } from '../finish.ts';
import {
  asAdapters,
  contentOf,
  headersOf,
  methodOf,
  outcomeOf,
  pathFault,
  queryOf,
  withQuery,
} from '../rest-request.ts';
import { deviceContextOf } from '../task-contexts.service.ts';
import {
  named,
  number,
  object,
  optional,
  shown,
  type TaskInput,
  TaskInputError,
  text,
} from '../task-input.ts';

/** Longest time that a request may take, in seconds. */
const LONGEST_S = 600;

/** Placeholder in exports for the account of the inventory. */
const PLACEHOLDER = /^\s*\{\{.*\}\}\s*$/;

/** Returns the account in `auth`; undefined where it is left to the inventory. @throws TaskInputError */
function loginOf(incoming: TaskInput): { username: string; password: string } | undefined {
  const auth = optional(object, incoming, 'auth', {});
  const [username, password] = [auth.username, auth.password].map(shown);
  const isLeft = (one: string) => one === '' || PLACEHOLDER.test(one);
  if (username === undefined || password === undefined) return undefined;
  if (isLeft(username) && isLeft(password)) return undefined;
  if (isLeft(username) || isLeft(password))
    throw new TaskInputError('auth', 'must have both username and password, or none of them');
  return { username, password };
}

/** Returns the value of a Cookie header; nothing without cookies. @throws TaskInputError */
function cookiesOf(incoming: TaskInput): Record<string, string> {
  const cookies = Object.entries(optional(object, incoming, 'cookies', {}));
  if (cookies.length === 0) return {};
  const Cookie = cookies
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(shown(value))}`)
    .join('; ');
  return { Cookie };
}

function timeoutOf(incoming: TaskInput): number | undefined {
  const seconds = optional<number | undefined>(number, incoming, 'timeout', undefined);
  if (seconds === undefined) return undefined;
  if (seconds <= 0 || seconds > LONGEST_S)
    throw new TaskInputError('timeout', `must be more than 0 and up to ${LONGEST_S} seconds`);
  return Math.ceil(seconds * 1000);
}

/** Returns the outcome of a request without a response, in the format of adapters: workflows search its text. */
function unanswered(error: unknown, signal: AbortSignal): TaskOutcome {
  if (signal.aborted || !(error instanceof ServiceError)) throw error;
  const { message, code, extra } = error;
  return broken(message, {
    ...extra,
    code,
    ...asAdapters(message, { status: 0, body: message }),
  });
}

/**
 * Sends a request to a host of the http inventory. The inventory decides how the certificate is checked; redirects are not
 * followed.
 */
const sendRequest: EffectRun = async (incoming, world) => {
  const host = named(incoming, 'host');
  const endpoint = text(incoming, 'endpoint');
  const fault = pathFault(endpoint);
  if (fault) throw new TaskInputError('endpoint', fault);
  const isProxied = isObject(incoming.proxies) && Object.keys(incoming.proxies).length > 0;
  if (isProxied) throw new TaskInputError('proxies', 'is not supported: the gateway connects itself');
  const method = methodOf(incoming, 'method');
  const sent = contentOf(incoming.data, method, {
    ...headersOf(incoming, 'headers'),
    ...cookiesOf(incoming),
  });
  const request = {
    ...sent,
    method,
    headers: { Accept: 'application/json, */*;q=0.5', ...sent.headers, 'Idempotency-Key': world.key },
  };
  const how = {
    path: withQuery(endpoint, queryOf(incoming, 'params')),
    request,
    login: loginOf(incoming),
    timeoutMs: timeoutOf(incoming),
  };
  const call = await deviceContextOf(world);
  const reply = await sendHttp(call, host, how, { signal: world.signal, requestId: world.key }).catch(
    (error: unknown) => unanswered(error, world.signal),
  );
  if ('finish' in reply) return reply;
  const { status, headers, body: response } = reply;
  const outcome = outcomeOf(host, reply, { result: { status, headers, response } });
  return outcome.error
    ? { ...outcome, error: { ...outcome.error, ...asAdapters(outcome.error.message, reply) } }
    : outcome;
};

/** The runs of these tasks, by application and name. */
export const HTTP_HOST_EFFECTS: Readonly<Record<string, EffectRun>> = {
  'AutomationGateway.sendRequest': sendRequest,
};
