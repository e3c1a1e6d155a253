import type { SecretProvider } from '#db/schemas/operations/secret-provider.ts';
import type { ServiceError } from '#server/kernel/errors.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import type { HttpPort } from '../http/ports.ts';
import { secretFailure } from './failures.ts';
import { openVaultRequests, type VaultRequests } from './vault-requests.ts';

/** Time for the end of a lease or token, in milliseconds: the service waits for it when it stops. */
const REVOCATION_MS = 2000;
/** Interval at which a token without an end is compared with the server, in milliseconds. */
const COMPARED_MS = 3_600_000;

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

export type VaultCalls = ReturnType<typeof openVaultCalls>;

/**
 * Opens calls to one Vault or OpenBao server: sign-in, renewal of its token, secrets of a KV engine of version 2, and
 * dynamic secrets with their leases.
 *
 * @param provider provider with opened secrets
 * @param now returns the time in milliseconds since 1970
 * @returns one function for each call
 */
export function openVaultCalls(http: Pick<HttpPort, 'send'>, provider: SecretProvider, now: () => number) {
  const requests = openVaultRequests(http, provider);
  return {
    ...tokenCalls(requests, provider, now),
    ...secretCalls(requests, provider),
    ...leaseCalls(requests),
  };
}

function tokenCalls({ send, sendOnce }: VaultRequests, provider: SecretProvider, now: () => number) {
  const { name, auth } = provider;

  const denied = (what: string) =>
    secretFailure('SECRET_PROVIDER_DENIED', `Secret provider ${name} denied ${what}`);

  return {
    /** Signs in. @throws ServiceError */
    async signIn(): Promise<Token> {
      if (auth?.method === 'approle') {
        const path = `auth/${auth.path ?? 'approle'}/login`;
        const role = { role_id: auth.roleId ?? '', secret_id: auth.secretId ?? '' };
        const { status, body } = await send({ method: 'POST', path, body: role });
        const signedIn = status === 200 ? tokenIn(body.auth, now()) : undefined;
        if (!signedIn) throw denied(`the sign-in with the role (status ${status})`);
        return signedIn;
      }
      const token = auth?.token ?? '';
      const { status, body } = await send({ method: 'GET', path: 'auth/token/lookup-self', token });
      if (status !== 200) throw denied(`the token (status ${status})`);
      const unknown = { token, isRenewable: false, renewAt: now() + COMPARED_MS, endsAt: Infinity };
      return tokenIn(body.data, now(), token) ?? unknown;
    },

    /** Renews a token; undefined when the server does not: then a new sign-in follows. @throws ServiceError */
    async renew({ token }: Token): Promise<Token | undefined> {
      const { status, body } = await send({
        method: 'POST',
        path: 'auth/token/renew-self',
        token,
        body: {},
      });
      const lasts = status === 200 && isObject(body.auth) && Number(body.auth.lease_duration) > 0;
      return lasts ? tokenIn(body.auth, now(), token) : undefined;
    },

    /** Returns whether the server accepts a token. @throws ServiceError when it cannot be reached */
    async accepts({ token }: Token): Promise<boolean> {
      return (await send({ method: 'GET', path: 'auth/token/lookup-self', token })).status === 200;
    },

    /** Ends a token at once, and all leases made with it. @returns as `revokeLease` @throws ServiceError as `revokeLease` */
    async revokeToken({ token }: Token): Promise<boolean> {
      const path = 'auth/token/revoke-self';
      const { status } = await sendOnce({ method: 'POST', path, token, body: {} }, REVOCATION_MS);
      return status < 300;
    },

    /** Returns the error for a request that the server denied. */
    denied,
  };
}

function secretCalls({ send }: VaultRequests, { name, mount = 'secret' }: SecretProvider) {
  const missing = (path: string, why = ''): ServiceError =>
    secretFailure('SECRET_NOT_FOUND', `Secret provider ${name} has no secret ${path}${why}`);

  /** Returns a path for a URL. Segments that a URL would resolve would lead out of the mount. */
  const encoded = (path: string): string => {
    const segments = path.split('/');
    if (segments.some((segment) => segment === '' || segment === '.' || segment === '..'))
      throw missing(path);
    return segments.map(encodeURIComponent).join('/');
  };

  return {
    /**
     * Reads the newest version of a secret.
     *
     * @returns its values by name; 'denied' when the token does not count any more or may not read it
     * @throws ServiceError
     */
    async read({ token }: Token, path: string): Promise<Record<string, unknown> | 'denied'> {
      const { status, body } = await send({ method: 'GET', path: `${mount}/data/${encoded(path)}`, token });
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
     * @throws ServiceError CONFLICT when the path has no secret, or one without a lease
     */
    async issue({ token }: Token, path: string, address: string | undefined): Promise<Issued | 'denied'> {
      const at = encoded(path.slice(1));
      let answer = await send({ method: 'GET', path: at, token });
      // A policy that allows only what such an engine understands denies to read.
      if (
        (answer.status === 405 || isDenied(answer.status)) &&
        address !== undefined &&
        CREDENTIALS.test(path)
      ) {
        const forHost = await send({ method: 'POST', path: at, token, body: { ip: address } });
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
  };
}

function leaseCalls({ send, sendOnce }: VaultRequests) {
  return {
    /**
     * Renews a lease.
     *
     * @returns how long it is valid from now on, in milliseconds; 'gone' when it ended or was revoked; 'denied' as `isLeased`
     * @throws ServiceError when the server cannot be reached
     */
    async renewLease({ token }: Token, id: string): Promise<number | 'gone' | 'denied'> {
      const path = 'sys/leases/renew';
      const { status, body } = await send({ method: 'PUT', path, token, body: { lease_id: id } });
      if (isDenied(status)) return 'denied';
      return status === 200 ? Number(body.lease_duration) * 1000 : 'gone';
    },

    /**
     * Returns whether a lease is still valid; 'denied' when the token does not count any more, or its policy does not allow to ask.
     *
     * @throws ServiceError when the server cannot be reached
     */
    async isLeased({ token }: Token, id: string): Promise<boolean | 'denied'> {
      const path = 'sys/leases/lookup';
      const { status } = await send({ method: 'PUT', path, token, body: { lease_id: id } });
      return isDenied(status) ? 'denied' : status === 200;
    },

    /** Ends a lease at once, tried one time. @returns whether the server did it @throws ServiceError when it cannot be reached */
    async revokeLease({ token }: Token, id: string): Promise<boolean> {
      const path = 'sys/leases/revoke';
      const { status } = await sendOnce(
        { method: 'PUT', path, token, body: { lease_id: id } },
        REVOCATION_MS,
      );
      return status < 300;
    },
  };
}

const isDenied = (status: number) => status === 401 || status === 403;

/**
 * Returns the token that an answer describes; undefined when it describes none.
 *
 * @param now in milliseconds since 1970
 * @param fallback the token that was sent: answers about it do not repeat it
 */
function tokenIn(described: unknown, now: number, fallback?: string): Token | undefined {
  if (!isObject(described)) return undefined;
  const token = typeof described.client_token === 'string' ? described.client_token : fallback;
  if (token === undefined) return undefined;
  const seconds = Number(described.lease_duration ?? described.ttl ?? 0);
  const lastsMs = seconds > 0 ? seconds * 1000 : COMPARED_MS;
  return {
    token,
    isRenewable: described.renewable === true,
    renewAt: now + (lastsMs * 2) / 3,
    endsAt: seconds > 0 ? now + lastsMs : Number.POSITIVE_INFINITY,
  };
}
