import { setTimeout } from 'node:timers/promises';
import type { SecretProvider } from '#db/schemas/operations/secret-provider.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { jsonOr } from '#server/kernel/json/json-or.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { withoutFinal } from '#server/kernel/text/without-final.ts';
import type { HttpPort } from '../http/ports.ts';
import { secretFailure } from './failures.ts';

/** Most bytes of an answer. */
const MOST_BYTES = 1024 * 1024;
/** Attempts of a request whose provider cannot be reached, and the first pause in milliseconds, which doubles. */
const ATTEMPTS = 3;
const PAUSE_MS = 200;
const TIMEOUT_MS = 5000;

/** The answer of a Vault or OpenBao server; the body is empty if it is not a JSON object. */
export type VaultAnswer = { status: number; body: Record<string, unknown> };

/** A request to the HTTP API of a Vault or OpenBao server; `path` follows `/v1/`. */
export type VaultRequest = {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  /** Absent: the request signs in. */
  token?: string;
  body?: object;
};

/** Sends requests to one server. */
export type VaultRequests = {
  /** Sends a request, again if the server cannot be reached, is sealed or on standby. @throws ServiceError */
  send: (request: VaultRequest) => Promise<VaultAnswer>;
  /** Sends a request one time. @throws ServiceError */
  sendOnce: (request: VaultRequest, timeoutMs: number) => Promise<VaultAnswer>;
};

/** Why a request failed; `isFinal`: another attempt would fail as well. */
type Failure = { reason: string; isAnswered: boolean; isFinal: boolean };

/** Opens the requests to the server of a provider. @param provider provider with opened secrets */
export function openVaultRequests(http: Pick<HttpPort, 'send'>, provider: SecretProvider): VaultRequests {
  const { name, url = '', namespace, ca } = provider;
  const base = withoutFinal(String(url), '/');

  const sendOnce: VaultRequests['sendOnce'] = async ({ method, path, token, body }, timeoutMs) => {
    const answer = await http.send(
      {
        adapter: `Secret provider ${name}`,
        tls: { ...(ca && { ca }) },
        timeouts: { connect: timeoutMs, request: timeoutMs },
        connectionKey: `secrets ${name} ${provider.lastUpdated ?? ''}`,
      },
      {
        method,
        url: new URL(`${base}/v1/${path}`),
        headers: {
          'X-Vault-Request': 'true',
          ...(token !== undefined && { 'X-Vault-Token': token }),
          ...(namespace && { 'X-Vault-Namespace': namespace }),
          ...(body && { 'Content-Type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      },
      { signal: new AbortController().signal, maxBytes: MOST_BYTES },
    );
    return { status: answer.status, body: parsed(answer.bytes) };
  };

  /** Sends a request one time. @returns the answer, or why a later attempt may have one */
  const attemptOnce = async (request: VaultRequest): Promise<VaultAnswer | Failure> => {
    try {
      const answer = await sendOnce(request, provider.timeoutMs ?? TIMEOUT_MS);
      if (answer.status < 500 && answer.status !== 429) return answer;
      return { reason: `it answered ${answer.status}`, isAnswered: true, isFinal: false };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const isFinal = error.extra?.retryable === false && error.code !== 'GATEWAY_TIMEOUT';
      return { reason: error.message, isAnswered: false, isFinal };
    }
  };

  /** Returns why the server answers no requests; null when its health does not say it. */
  const stateOf = async (): Promise<string | null> => {
    try {
      const health = await sendOnce({ method: 'GET', path: 'sys/health' }, TIMEOUT_MS);
      return stateIn(health.body);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return null;
    }
  };

  return {
    sendOnce,
    async send(request) {
      let failure: Failure | undefined;
      for (let attempt = 1; attempt <= ATTEMPTS && !failure?.isFinal; attempt += 1) {
        if (attempt > 1) await setTimeout(PAUSE_MS * 2 ** (attempt - 2));
        const answer = await attemptOnce(request);
        if ('status' in answer) return answer;
        failure = answer;
      }
      const state = failure?.isAnswered ? await stateOf() : null;
      const reason = [failure?.reason, state].filter(Boolean).join(': ');
      throw secretFailure(
        'SECRET_PROVIDER_UNREACHABLE',
        `Secret provider ${name} cannot be used: ${reason}`,
        true,
      );
    },
  };
}

/** Returns why a server with this health answers no requests, in words of our own: its errors could repeat what was sent. */
function stateIn({ initialized, sealed, standby }: Record<string, unknown>): string | null {
  if (initialized === false) return 'it is not initialised';
  // A sealed server says that it is on standby, too.
  if (sealed === true) return 'it is sealed, and must be unsealed by its operators';
  return standby === true ? 'it is on standby and knows no active server' : null;
}

function parsed(bytes: Buffer): Record<string, unknown> {
  const value = jsonOr(bytes.toString('utf8'), {});
  return isObject(value) ? value : {};
}
