import type { OrchestratorConnection } from '#db/schemas/network/adapter.ts';
import { jsonOr } from '#server/kernel/json/json-or.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { rejectedBy, type Stage } from '../http/failures.ts';
import { authFailed, locked } from './failures.ts';
import type { Send } from './http.ts';
import type { Verdict } from './ports.ts';
import { asKeypath, type ServicePlace } from './service-path.ts';

type FailureLocation = { adapter: string; host: string };
type RpcError = { type?: unknown; message?: unknown; data?: unknown };
type Answer = { result?: unknown; error?: RpcError; cookie?: string };

/** Thrown when the orchestrator has no JSON-RPC interface; the caller can validate by a dry run instead. */
export class NoJsonRpc extends Error {}

/**
 * Loads service data into a transaction and validates it without committing. Lock, transaction and session are always
 * released, by requests with their own deadline.
 *
 * @param send sends requests within the deadline of the call
 * @param release sends the releasing requests, even after that deadline
 * @param unreleased is called when a release failed
 * @throws NoJsonRpc when the orchestrator has none; ServiceError when it cannot be reached, rejects us or is locked
 */
export async function validateByRpc(
  { adapter, host }: FailureLocation,
  connection: OrchestratorConnection,
  { send, release, unreleased }: { send: Send; release: Send; unreleased: (step: string) => void },
  { parent, data }: ServicePlace,
): Promise<Verdict> {
  const where = (stage: Stage) => ({ adapter, host, stage });
  const { username = '', password = '' } = connection.authentication ?? {};
  let cookie = '';
  let serial = 0;
  const call = async (by: Send, method: string, params: object, stage: Stage): Promise<Answer> => {
    serial += 1;
    const reply = await by({
      method: 'POST',
      path: `${rootOf(connection)}/jsonrpc/${method}`,
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json',
        ...(cookie && { Cookie: cookie }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: serial, method, params }),
      credential: false,
      stage,
    });
    if (stage === 'login' && [404, 405, 406, 501].includes(reply.status)) throw new NoJsonRpc();
    if (reply.status === 401 || reply.status === 403) throw authFailed(where(stage));
    const answer = parsed(reply.text);
    if (!answer || reply.status >= 300)
      throw rejectedBy(where(stage), `JSON-RPC ${method}: status ${reply.status}`);
    const type = String(answer.error?.type ?? '');
    if (type.startsWith('session.') && !type.includes('overload')) throw authFailed(where(stage));
    const [first] = [reply.headers['set-cookie'] ?? []].flat();
    return { ...answer, ...(first !== undefined && { cookie: first.split(';', 1)[0] ?? '' }) };
  };
  const must = (answer: Answer, stage: Stage) => {
    if (answer.error) throw faultOf(answer.error, where(stage));
    return answer.result;
  };

  const login = await call(send, 'login', { user: username, passwd: password }, 'login');
  // A rejected login has several error types; too many sessions is a different problem.
  if (login.error && !/overload|internal/.test(String(login.error.type))) throw authFailed(where('login'));
  must(login, 'login');
  if (!login.cookie) throw rejectedBy(where('login'), 'JSON-RPC login returned no session');
  cookie = login.cookie;
  let th: unknown;
  try {
    const transaction = { db: 'running', mode: 'read_write', on_pending_changes: 'reject', tag: 'validate' };
    th = (must(await call(send, 'new_trans', transaction, 'load'), 'load') as { th?: unknown } | null)?.th;
    if (typeof th !== 'number') throw rejectedBy(where('load'), 'JSON-RPC new_trans returned no transaction');
    const loading = {
      th,
      ...(parent.length > 0 && { path: asKeypath(parent) }),
      data: JSON.stringify(data),
      format: 'json',
      mode: 'merge',
    };
    const loaded = await call(send, 'load', loading, 'load');
    if (loaded.error) return verdictOf(loaded.error, where('load'), true);
    const { message } = (loaded.result ?? {}) as { message?: unknown };
    if (typeof message === 'string' && message !== '') return { isValid: false, message };
    const validated = await call(send, 'validate_commit', { th }, 'validate');
    if (validated.error) return verdictOf(validated.error, where('validate'), false);
    return { isValid: true, message: '' };
  } finally {
    // The order matters: the lock belongs to the transaction, the transaction to the session.
    if (typeof th === 'number') {
      await call(release, 'clear_validate_lock', { th }, 'validate').catch(() =>
        unreleased('clear_validate_lock'),
      );
      await call(release, 'delete_trans', { th }, 'validate').catch(() => unreleased('delete_trans'));
    }
    await call(release, 'logout', {}, 'login').catch(() => unreleased('logout'));
  }
}

/** Returns the prefix that JSON-RPC shares with RESTCONF. */
const rootOf = ({ base_path }: OrchestratorConnection) =>
  (base_path ?? '/restconf').replace(/\/$/, '').replace(/\/restconf$/, '');

function parsed(text: string): Answer | null {
  const value = jsonOr(text, null);
  return isObject(value) ? (value as Answer) : null;
}

const LOCKED = /lock|in_use|pending|conflict|resolve_needed|confirm/;

/** Returns a verdict for errors in the data; throws for errors in the orchestrator's state (contract/endpoints#4.18). */
function verdictOf(error: RpcError, where: FailureLocation & { stage: Stage }, loading: boolean): Verdict {
  const type = String(error.type ?? '');
  const ofData =
    type === 'trans.validation_failed' || (loading && !LOCKED.test(type) && !type.startsWith('rpc.internal'));
  if (!ofData) throw faultOf(error, where);
  return { isValid: false, message: messageOf(error) };
}

function faultOf(error: RpcError, where: FailureLocation & { stage: Stage }) {
  const message = messageOf(error);
  const type = String(error.type ?? '');
  return LOCKED.test(type) || /\block(ed)?\b/i.test(message)
    ? locked(where, message)
    : rejectedBy(where, message);
}

/** Returns the full text of an error, including the paths of its parts. */
function messageOf({ message, type, data }: RpcError): string {
  const parts = (data as { errors?: unknown } | null | undefined)?.errors;
  const details = (Array.isArray(parts) ? parts : []).map((part: unknown) => {
    const { message: said, paths } = (part ?? {}) as { message?: unknown; paths?: unknown };
    const at = Array.isArray(paths) ? paths.filter((path) => typeof path === 'string').join(', ') : '';
    return [at, said].filter((one) => typeof one === 'string' && one !== '').join(': ');
  });
  const text = details.filter(Boolean).join('; ') || String(message ?? '') || String(type ?? '');
  return (text || 'the orchestrator rejects the data').slice(0, 4000);
}
