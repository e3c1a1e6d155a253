import { notFound, ServiceError } from '#server/kernel/errors.ts';
import { hostFault } from '#server/kernel/targets/targets.ts';
import { type KeyedSemaphore, openKeyedSemaphore } from '#server/kernel/timing/keyed-semaphore.ts';
import type { HttpReply } from '../http/exchange.ts';
import { rejectedBy } from '../http/failures.ts';
import { bodyValueOf } from '../http/json-body.ts';
import { devicesOf } from './devices.ts';
import { type Dialect, mediaType, restconfPath } from './dialect.ts';
import { validateByDryRun } from './dry-run.ts';
import { editConfiguration, entryPath } from './edit.ts';
import { errorsOf, fieldNamed, sentenceOf } from './error-body.ts';
import { authFailed } from './failures.ts';
import { openSend, type Send } from './http.ts';
import { NoJsonRpc, validateByRpc } from './json-rpc.ts';
import { nedsOf } from './neds.ts';
import type { Exchange, OrchestratorPort, OrchestratorTarget, Reply } from './ports.ts';
import { servicePlace } from './service-path.ts';

/** Maximum number of calls that may wait for one adapter. */
const LONGEST_LINE = 64;

/** Time to release a lock and a session, in milliseconds. */
const RELEASE_MS = 5000;

const JSON_TYPE = 'application/yang-data+json';
const OLD_LIST = 'application/vnd.yang.collection+json';
const OLD_DATA = 'application/vnd.yang.data+json';

/** Releases skip the queue: a full queue must not keep a lock held. */
const AT_ONCE: KeyedSemaphore = async () => () => undefined;

type OrchestratorOptions = {
  /** ALLOW_PRIVATE_TARGETS */
  allowPrivateTargets: boolean;
  /** Called when a lock or session could not be released. */
  unreleased: (adapter: string, step: string) => void;
};

/** Opens orchestrators over HTTP: RESTCONF, its older form, JSON-RPC for validation (contract/engines#orchestrator). */
export function openOrchestrator({ allowPrivateTargets, unreleased }: OrchestratorOptions): OrchestratorPort {
  const turns = openKeyedSemaphore(LONGEST_LINE);
  const open = (target: OrchestratorTarget) => openSend(target, { allowPrivateTargets, turns });

  const send = async (target: OrchestratorTarget, exchange: Exchange) => {
    const by = open(target);
    return replyOf(target, await by(await wireOf(target, by, exchange)));
  };

  const ask = async (target: OrchestratorTarget, exchange: Exchange) => {
    const { status, content, errors } = await send(target, exchange);
    if (status < 300) return content;
    throw responseError(target, exchange.path, status, errors);
  };

  /** @param listed name of the list's container */
  const readList = async (target: OrchestratorTarget, listed: string, restconf: string, legacy: string) => {
    const by = open(target);
    const old = (await dialectOf(target, by)) === 'legacy';
    const reply = await replyOf(
      target,
      await by({
        method: 'GET',
        path: old ? `${legacy}?deep` : `${rootOf(target)}/data/${restconf}`,
        headers: { Accept: old ? OLD_LIST : JSON_TYPE },
      }),
    );
    const { status, content, errors } = reply;
    const where = { adapter: target.adapter, host: target.connection.host ?? '', stage: 'request' as const };
    if (status < 300) {
      if (isListAnswer(content, listed)) return content;
      throw rejectedBy(where, `responds to ${listed} with something else`, 'NO_SUCH_ENDPOINT');
    }
    if (status !== 404) throw responseError(target, restconf, status, errors);
    if (saysAbsent(errors)) return [];
    const hint = 'base_path or dialect of the connection may be wrong';
    throw rejectedBy(where, `does not have ${listed} (status 404): ${hint}`, 'NO_SUCH_ENDPOINT');
  };

  return {
    targetFault: (host) => hostFault(host, allowPrivateTargets),
    send,
    ask,
    async validateCommit(target, path, data) {
      const place = servicePlace(path, data);
      const { adapter, connection } = target;
      const where = { adapter, host: connection.host ?? '' };
      const by = open(target);
      if (connection.authentication?.auth_method !== 'token') {
        const release: Send = (wire) =>
          openSend(target, { allowPrivateTargets, turns: AT_ONCE, limitMs: RELEASE_MS })(wire);
        const session = { send: by, release, unreleased: (step: string) => unreleased(adapter, step) };
        try {
          return await validateByRpc(where, connection, session, place);
        } catch (error) {
          if (!(error instanceof NoJsonRpc)) throw error;
        }
      }
      return validateByDryRun(where, rootOf(target), by, place);
    },
    async edit(target, edit, dryRun) {
      const { adapter, connection } = target;
      const where = { adapter, host: connection.host ?? '' };
      return editConfiguration(where, rootOf(target), open(target), edit, dryRun);
    },
    readInstance: (target, path, keys) =>
      ask(target, { method: 'GET', path: `/restconf${entryPath(path, keys)}`, accept: JSON_TYPE }),
    async listNeds(target) {
      const content = await readList(
        target,
        'packages',
        'tailf-ncs:packages/package',
        '/api/operational/packages/package',
      );
      return nedsOf(content, target.connection.host ?? '');
    },
    async listDevices(target) {
      const read = (fields: string) =>
        readList(
          target,
          'devices',
          `tailf-ncs:devices/device?fields=${fields}`,
          '/api/running/devices/device',
        );
      // Some orchestrators do not know every one of these fields, and reject the whole request.
      const content = await read('name;address;port;device-type;platform').catch((error: unknown) => {
        if (error instanceof ServiceError && error.extra?.reason === 'ORCHESTRATOR_REFUSED')
          return read('name');
        throw error;
      });
      return devicesOf(content);
    },
    async probe(target) {
      const { adapter, connection } = target;
      const reply = await open(target)({
        method: 'GET',
        path: connection.dialect === 'legacy' ? '/api' : rootOf(target) || '/',
        headers: { Accept: connection.dialect === 'legacy' ? OLD_DATA : JSON_TYPE },
      });
      const where = { adapter, host: connection.host ?? '', stage: 'request' as const };
      if (reply.status === 403) throw authFailed(where);
      if (reply.status >= 500) throw rejectedBy(where, `responds with status ${reply.status}`);
    },
  };
}

/**
 * Returns whether a 404 means that there are no entries: RESTCONF reports it with an error tag for missing data. Any
 * other 404 may come from a different server at that address, and must not empty a list (contract/engines#orchestrator,
 * Status).
 */
const saysAbsent = (errors: Reply['errors']): boolean =>
  errors.some((error) => ['invalid-value', 'data-missing'].includes(error['error-tag'] ?? ''));

/** Returns whether a response is this list, possibly empty. A response of another kind has no entries either. */
function isListAnswer(content: unknown, listed: string): boolean {
  if (content === undefined || content === null || Array.isArray(content)) return true;
  if (typeof content !== 'object') return false;
  const names = [listed, listed.replace(/s$/, ''), 'collection', 'name'];
  return Object.keys(content).length === 0 || names.some((name) => fieldNamed(content, name) !== undefined);
}

const rootOf = ({ connection }: OrchestratorTarget) =>
  (connection.base_path ?? '/restconf').replace(/\/$/, '');

/** Returns the request in the orchestrator's dialect. */
async function wireOf(target: OrchestratorTarget, send: Send, exchange: Exchange) {
  const { method, accept, contentType, body } = exchange;
  const old = /^\/api(?=[/?]|$)/.test(exchange.path);
  const speaks = old ? await dialectOf(target, send) : target.connection.dialect;
  const translated = old && speaks !== 'legacy' ? restconfPath(exchange.path) : exchange.path;
  const type = (requested: string) => (speaks === 'legacy' ? requested : mediaType(requested));
  return {
    method,
    path: translated.replace(/^\/restconf(?=[/?]|$)/, () => rootOf(target)) || '/',
    headers: {
      Accept: type(accept),
      ...(body !== undefined && {
        'Content-Type': type(contentType ?? JSON_TYPE),
        'Content-Length': String(Buffer.byteLength(body)),
      }),
    },
    body,
  };
}

/** Returns the orchestrator's dialect; it is detected when the connection does not set it. */
async function dialectOf(target: OrchestratorTarget, send: Send): Promise<Dialect> {
  const { dialect } = target.connection;
  if (dialect === 'restconf' || dialect === 'legacy') return dialect;
  const reply = await send({ method: 'GET', path: rootOf(target) || '/', headers: { Accept: JSON_TYPE } });
  return reply.status === 404 ? 'legacy' : 'restconf';
}

async function replyOf(
  { adapter, connection }: OrchestratorTarget,
  { status, headers, text }: HttpReply,
): Promise<Reply> {
  const where = { adapter, host: connection.host ?? '', stage: 'request' as const };
  const content = text === '' ? undefined : await bodyValueOf(text, headers, where);
  return { status, content, errors: status >= 400 ? errorsOf(content) : [] };
}

/** Returns the error for an unsuccessful response where content was requested (contract/endpoints#4.2). */
function responseError(target: OrchestratorTarget, path: string, status: number, errors: Reply['errors']) {
  const { adapter, connection } = target;
  const where = { adapter, host: connection.host ?? '', stage: 'request' as const };
  const sentence = sentenceOf(errors);
  if (status === 404) return notFound(`${adapter}:`, path);
  if (status === 401 || status === 403) return authFailed(where);
  if (status < 400)
    return rejectedBy(where, `redirects (status ${status}), which is not followed`, 'REDIRECTED');
  const reason = /out of sync/i.test(sentence) ? 'DEVICE_OUT_OF_SYNC' : 'ORCHESTRATOR_REFUSED';
  return rejectedBy(where, `status ${status}${sentence && `: ${sentence}`}`, reason, status === 503);
}
