import type { SecretProvider } from '#db/schemas/operations/secret-provider.ts';
import { ServiceError } from '#server/kernel/errors.ts';
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
/** Time for the end of a lease or token: the service waits for it when it stops. */
const REVOCATION_MS = 2000;

/** A token of the server, and when it ends, in epoch milliseconds; `renewAt` is earlier. */
export type Token = { token: string; renewAt: number; endsAt: number; isRenewable: boolean };

/** A dynamic secret: what the server made for this request, and the lease that decides how long it is valid. */
export type Issued = {
  /** Id of the lease. It is no secret. */
  id: string;
  data: Record<string, unknown>;
  /** How long it is valid from now on, in milliseconds. */
  lastsMs: number;
  isRenewable: boolean;
};

/** A path at which an engine accepts the address for which the account is requested: `ssh/creds/<role>`. */
const CREDENTIALS = /^\/(?:[^/]+\/)+creds\/[^/]+$/;

type Answer = { status: number; body: Record<string, unknown> };

/**
 * Opens calls to one Vault or OpenBao server: sign-in, renewal of its token, secrets of a KV engine of version 2, and
 * dynamic secrets with their leases.
 *
 * @param provider provider with opened secrets
 * @param now returns the time in milliseconds since 1970
 * @returns one function for each call
 */
export function openVaultCalls(http: Pick<HttpPort, 'send'>, provider: SecretProvider, now: () => number) {
  const { name, url = '', namespace, auth, ca, timeoutMs } = provider;
  const base = withoutFinal(String(url), '/');

  const once = async (
    method: string,
    path: string,
    token: string | null,
    body?: object,
    time = timeoutMs ?? TIMEOUT_MS,
  ): Promise<Answer> => {
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

  const missing = (path: string, why = '') =>
    secretFailure('SECRET_NOT_FOUND', `Secret provider ${name} has no secret ${path}${why}`);

  /** Returns a path for a URL. Segments that a URL would resolve would lead out of the mount. */
  const encoded = (path: string): string => {
    const segments = path.split('/');
    if (segments.some((segment) => segment === '' || segment === '.' || segment === '..'))
      throw missing(path);
    return segments.map(encodeURIComponent).join('/');
  };

  const isDenied = (status: number) => status === 401 || status === 403;

  const denied = (what: string) =>
    secretFailure('SECRET_PROVIDER_DENIED', `Secret provider ${name} denied ${what}`);

  const tokenOf = (given: unknown, fallback?: string): Token | undefined => {
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
    async signIn(): Promise<Token> {
      if (auth?.method === 'approle') {
        const path = `auth/${auth.path ?? 'approle'}/login`;
        const { status, body } = await send('POST', path, null, {
          role_id: auth.roleId ?? '',
          secret_id: auth.secretId ?? '',
        });
        const signedIn = status === 200 ? tokenOf(body.auth) : undefined;
        if (!signedIn) throw denied(`the sign-in with the role (status ${status})`);
        return signedIn;
      }
      const token = auth?.token ?? '';
      const { status, body } = await send('GET', 'auth/token/lookup-self', token);
      if (status !== 200) throw denied(`the token (status ${status})`);
      return (
        tokenOf(body.data, token) ?? {
          token,
          isRenewable: false,
          renewAt: now() + 3_600_000,
          endsAt: Infinity,
        }
      );
    },

    /** Renews a token; undefined when the server does not: then a new sign-in follows. @throws ServiceError */
    async renew({ token }: Token): Promise<Token | undefined> {
      const { status, body } = await send('POST', 'auth/token/renew-self', token, {});
      const lasts = status === 200 && isObject(body.auth) && Number(body.auth.lease_duration) > 0;
      return lasts ? tokenOf(body.auth, token) : undefined;
    },

    /**
     * Reads the newest version of a secret.
     *
     * @returns its values by name; 'denied' when the token does not count any more or may not read it
     * @throws ServiceError
     */
    async read({ token }: Token, path: string): Promise<Record<string, unknown> | 'denied'> {
      const { status, body } = await send(
        'GET',
        `${provider.mount ?? 'secret'}/data/${encoded(path)}`,
        token,
      );
      if (isDenied(status)) return 'denied';
      const data = isObject(body.data) ? body.data.data : undefined;
      if (status === 404 || !isObject(data)) throw missing(path);
      return data;
    },

    /**
     * Asks an engine for a dynamic secret: the server makes it for this request.
     *
     * @param path path on the server, with its mount and a leading `/`: `/database/creds/<role>`
     * @param address address of the host that it is for; engines need it that make a password for one host (SSH)
     * @returns the secret with its lease; 'denied' when the token does not count any more or may not read the path
     * @throws ServiceError CONFLICT when the path gives none, or what it gives has no lease
     */
    async issue({ token }: Token, path: string, address: string | undefined): Promise<Issued | 'denied'> {
      const at = encoded(path.slice(1));
      let answer = await send('GET', at, token);
      // A policy that allows only what such an engine understands denies to read.
      if (
        (answer.status === 405 || isDenied(answer.status)) &&
        address !== undefined &&
        CREDENTIALS.test(path)
      ) {
        const forHost = await send('POST', at, token, { ip: address });
        if (forHost.status !== 405) answer = forHost;
      }
      const { status, body } = answer;
      if (isDenied(status)) return 'denied';
      if (status === 405) throw missing(path, ' for this use: it is made for the address of one host');
      if (status !== 200 || !isObject(body.data)) throw missing(path, ` (status ${status})`);
      if (typeof body.lease_id !== 'string' || body.lease_id === '')
        throw missing(path, ': what it has there is not dynamic, so that it has no lease');
      return {
        id: body.lease_id,
        data: body.data,
        lastsMs: Number(body.lease_duration) * 1000,
        isRenewable: body.renewable === true,
      };
    },

    /**
     * Renews a lease.
     *
     * @returns how long it is valid from now on, in milliseconds; 'gone' when it ended or was revoked; 'denied' as `isLeased`
     * @throws ServiceError when the server cannot be reached
     */
    async renewLease({ token }: Token, id: string): Promise<number | 'gone' | 'denied'> {
      const { status, body } = await send('PUT', 'sys/leases/renew', token, { lease_id: id });
      if (isDenied(status)) return 'denied';
      return status === 200 ? Number(body.lease_duration) * 1000 : 'gone';
    },

    /**
     * Returns whether a lease is still valid; 'denied' when the token does not count any more, or its policy does not allow to ask.
     *
     * @throws ServiceError when the server cannot be reached
     */
    async isLeased({ token }: Token, id: string): Promise<boolean | 'denied'> {
      const { status } = await send('PUT', 'sys/leases/lookup', token, { lease_id: id });
      return isDenied(status) ? 'denied' : status === 200;
    },

    /** Returns whether the server accepts a token. @throws ServiceError when it cannot be reached */
    async accepts({ token }: Token): Promise<boolean> {
      return (await send('GET', 'auth/token/lookup-self', token)).status === 200;
    },

    /** Ends a lease at once, tried one time. @returns whether the server did it @throws ServiceError when it cannot be reached */
    async revokeLease({ token }: Token, id: string): Promise<boolean> {
      const { status } = await once('PUT', 'sys/leases/revoke', token, { lease_id: id }, REVOCATION_MS);
      return status < 300;
    },

    /** Ends a token at once, and all leases made with it. @returns as `revokeLease` @throws ServiceError as `revokeLease` */
    async revokeToken({ token }: Token): Promise<boolean> {
      const { status } = await once('POST', 'auth/token/revoke-self', token, {}, REVOCATION_MS);
      return status < 300;
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
