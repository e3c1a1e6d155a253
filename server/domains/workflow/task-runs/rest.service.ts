import { listedTargets, restTargetNamed } from '#server/domains/network/index.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import type { EffectRun } from '../tasks/outcome.ts';
import {
  asAdapters,
  contentOf,
  headersOf,
  methodOf,
  outcomeOf,
  pathFault,
  queryOf,
  withQuery,
} from './rest-request.ts';
import { optional, required, shown, type TaskInput, TaskInputError, text } from './task-input.ts';

/**
 * Returns the header by which the receiver can distinguish a repetition from a second call (contract/decisions#restcall).
 */
const keyed = (key: string) => ({ 'Idempotency-Key': key });

const restCall: EffectRun = async (incoming, { db, platform, key, signal }) => {
  const method = methodOf(incoming, 'method');
  const [url = '', fragment] = text(incoming, 'url').split('#', 2);
  if (fragment) throw new TaskInputError('url', 'must not have a fragment');
  const sent = contentOf(incoming.body, method, headersOf(incoming, 'headers'));
  const headers = { Accept: 'application/json, */*;q=0.5', ...sent.headers, ...keyed(key) };
  const reply = await platform.rest.call(
    withQuery(url, queryOf(incoming, 'query')),
    { ...sent, method, headers },
    signal,
    await listedTargets(db),
  );
  return outcomeOf(method, reply, { response: reply });
};

/** The operation that every adapter has: any request below its base path. */
const ANY_REQUEST = 'genericAdapterRequest';

/**
 * Runs an operation of an adapter of the model Rest: the adapter of the task's application, or the one in `adapter_id`.
 * `genericAdapterRequest` sends the given request; every other operation is a POST to a path of its name, with the
 * incoming values as its body.
 */
export const adapterOperation =
  (app: string, name: string): EffectRun =>
  async (incoming, { db, platform, key, signal }) => {
    const { adapter_id: _, ...values } = incoming;
    const adapter = optional(text, incoming, 'adapter_id', app);
    const target = await restTargetNamed({ db, platform }, adapter);
    const { path, method, body, headers } =
      name === ANY_REQUEST ? anyRequest(values) : operation(name, values);
    const sent = contentOf(body, method, headers);
    const all = { Accept: 'application/json', ...sent.headers, ...keyed(key) };
    const reply = await platform.rest.through(target, path, { ...sent, method, headers: all }, signal);
    const { status, body: response } = reply;
    const outcome = outcomeOf(adapter, reply, { result: { status, response, headers: reply.headers } });
    return outcome.error
      ? { ...outcome, error: { ...outcome.error, ...asAdapters(outcome.error.message, reply) } }
      : outcome;
  };

const operation = (name: string, values: TaskInput) => ({
  path: `/${encodeURIComponent(name)}`,
  method: 'POST' as const,
  body: values,
  headers: {},
});

function anyRequest(values: TaskInput) {
  const path = shown(required(values, 'uriPath'));
  const fault = pathFault(path);
  if (fault) throw new TaskInputError('uriPath', fault);
  const body = values.requestBody;
  return {
    path: withQuery(path, queryOf(values, 'queryData')),
    method: methodOf(values, 'restMethod'),
    // Forms send an empty object where nothing was entered.
    body: isObject(body) && Object.keys(body).length === 0 ? undefined : body,
    headers: headersOf(values, 'addlHeaders'),
  };
}

/** The runs of these tasks, by application and name. */
export const REST_EFFECTS: Readonly<Record<string, EffectRun>> = {
  'WorkFlowEngine.restCall': restCall,
};
