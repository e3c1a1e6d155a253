import type { SecretProvider } from '#db/schemas/operations/secret-provider.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import type { HttpPort } from '../http/ports.ts';
import { secretFailure } from './failures.ts';

/** Most bytes of an answer. */
const MOST_BYTES = 1024 * 1024;
/** Attempts of a request whose provider cannot be reached, and the first pause in milliseconds, which doubles. */
const ATTEMPTS = 3;
const PAUSE_MS = 200;
const TIMEOUT_MS = 5000;

/** A token of the server, and when it ends, in epoch milliseconds; `renewAt` is earlier. */
export type Lease = { token: string; renewAt: number; endsAt: number; isRenewable: boolean };

type Answer = { status: number; body: Record<string, unknown> };

/**
 * Calls to one Vault or OpenBao server: sign-in, renewal of its token, and secrets of a KV engine of version 2.
 *
 * @param provider provider with opened secrets
 * @param now returns the time in milliseconds since 1970
 */
export function openKv(http: Pick<HttpPort, 'send'>, provider: SecretProvider, now: () => number) {
  const { name, url = '', namespace, auth, ca, timeoutMs } = provider;
  const base = String(url).replace(/\/+$/, '');

  const once = async (method: string, path: string, token: string | null, body?: object): Promise<Answer> => {
    const time = timeoutMs ?? TIMEOUT_MS;
    const answer = await http.send(
      {
        adapter: `Secret provider ${name}`,
        tls: { ...(ca && { ca }) },
        timeouts: { connect: time, request: time },
        connectionKey: `secrets ${name} ${provider.lastUpdated ?? ''}`,
      },
      {
        method,
        url: new URL(`${base}/v1/${path}`),
        headers: {
          'X-Vault-Request': 'true',
          ...(token !== null && { 'X-Vault-Token': token }),
          ...(namespace && { 'X-Vault-Namespace': namespace }),
          ...(body && { 'Content-Type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      },
      { signal: new AbortController().signal, maxBytes: MOST_BYTES },
    );
    return { status: answer.status, body: parsed(answer.bytes) };
  };

  /** Sends a request; a server that cannot be reached, is sealed or on standby is tried again. */
  const send: typeof once = async (...request) => {
    let reason = '';
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      if (attempt > 1) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * 2 ** (attempt - 2)));
      try {
        const answer = await once(...request);
        if (answer.status < 500 && answer.status !== 429) return answer;
        reason = `it answered ${answer.status}`;
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        reason = error.message;
        if (error.extra?.retryable === false && error.code !== 'GATEWAY_TIMEOUT') break;
      }
    }
    throw secretFailure(
      'SECRET_PROVIDER_UNREACHABLE',
      `Secret provider ${name} cannot be used: ${reason}`,
      true,
    );
  };

  const denied = (what: string) =>
    secretFailure('SECRET_PROVIDER_DENIED', `Secret provider ${name} denied ${what}`);

  const leaseOf = (given: unknown, fallback?: string): Lease | undefined => {
    if (!isObject(given)) return undefined;
    const token = typeof given.client_token === 'string' ? given.client_token : fallback;
    if (token === undefined) return undefined;
    const seconds = Number(given.lease_duration ?? given.ttl ?? 0);
    // Tokens without an end are compared with the server once an hour.
    const lastsMs = seconds > 0 ? seconds * 1000 : 3_600_000;
    return {
      token,
      isRenewable: given.renewable === true,
      renewAt: now() + (lastsMs * 2) / 3,
      endsAt: seconds > 0 ? now() + lastsMs : Number.POSITIVE_INFINITY,
    };
  };

  return {
    /** Signs in. @throws ServiceError */
    async signIn(): Promise<Lease> {
      if (auth?.method === 'approle') {
        const path = `auth/${auth.path ?? 'approle'}/login`;
        const { status, body } = await send('POST', path, null, {
          role_id: auth.roleId ?? '',
          secret_id: auth.secretId ?? '',
        });
        const lease = status === 200 ? leaseOf(body.auth) : undefined;
        if (!lease) throw denied(`the sign-in with the role (status ${status})`);
        return lease;
      }
      const token = auth?.token ?? '';
      const { status, body } = await send('GET', 'auth/token/lookup-self', token);
      if (status !== 200) throw denied(`the token (status ${status})`);
      return (
        leaseOf(body.data, token) ?? {
          token,
          isRenewable: false,
          renewAt: now() + 3_600_000,
          endsAt: Infinity,
        }
      );
    },

    /** Renews a token; undefined when the server does not: then a new sign-in follows. @throws ServiceError */
    async renew({ token }: Lease): Promise<Lease | undefined> {
      const { status, body } = await send('POST', 'auth/token/renew-self', token, {});
      return status === 200 ? leaseOf(body.auth, token) : undefined;
    },

    /**
     * Reads the newest version of a secret.
     *
     * @returns its values by name; 'denied' when the token does not count any more or may not read it
     * @throws ServiceError
     */
    async read({ token }: Lease, path: string): Promise<Record<string, unknown> | 'denied'> {
      const encoded = path.split('/').map(encodeURIComponent).join('/');
      const { status, body } = await send('GET', `${provider.mount ?? 'secret'}/data/${encoded}`, token);
      if (status === 403 || status === 401) return 'denied';
      const data = isObject(body.data) ? body.data.data : undefined;
      if (status === 404 || !isObject(data))
        throw secretFailure('SECRET_NOT_FOUND', `Secret provider ${name} has no secret ${path}`);
      return data;
    },
    denied,
  };
}

function parsed(bytes: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
