import { isIP } from 'node:net';
import type { OutgoingTarget } from '#db/schemas/network/outgoing-targets.ts';
import { invalid, ServiceError } from '#server/kernel/errors.ts';
import { canonicalHost, matchTargets } from '#server/kernel/targets/listed-targets.ts';
import { hostFault } from '#server/kernel/targets/targets.ts';
import { maskOfConnection } from '../http/credential-mask.ts';
import { exchange, tlsOf } from '../http/exchange.ts';
import { rejectedBy } from '../http/failures.ts';
import { bodyValueOf } from '../http/json-body.ts';
import type { RestPort, RestReply, RestRequest, RestTarget } from './ports.ts';

/** Maximum size of a response in bytes. Longer ones are rejected, not truncated, because a job has to store them. */
const MOST = 8 * 1024 * 1024;
const LONGEST_URL = 8000;

const LIMITS = { connect: 10_000, request: 60_000 };

type RestSend = {
  /** Name of the remote system in error messages. */
  called: string;
  tls?: object;
  limits: typeof LIMITS;
  signal: AbortSignal;
  /** Returns why a resolved address must not be used, or null. Absent: only the general rules for addresses apply. */
  permits?: ((address: string) => string | null) | undefined;
  /** Masks the credential in what is answered. Absent: none is sent. */
  masked?: (text: string) => string;
};

/**
 * Opens the port for requests to listed destinations and through adapters of the model `Rest`.
 *
 * @param allowPrivateTargets whether loopback and link-local addresses may be reached
 */
export function openRest({ allowPrivateTargets }: { allowPrivateTargets: boolean }): RestPort {
  const send = (url: URL, request: RestRequest, sending: RestSend) =>
    exchanged(url, request, sending, allowPrivateTargets);
  return {
    call: async (written, request, signal, listed) => {
      const url = urlOf(written);
      const permits = permitted(url, listed, allowPrivateTargets);
      return send(url, request, { called: url.host, limits: LIMITS, signal, permits });
    },
    through: async ({ adapter, connection }, path, { headers, ...request }, signal) => {
      const { timeouts } = connection;
      const limits = {
        connect: timeouts?.connect ?? LIMITS.connect,
        request: timeouts?.request ?? LIMITS.request,
      };
      const sent = { ...request, headers: { ...credentialOf(connection), ...headers } };
      return send(urlBelow(connection, path), sent, {
        called: adapter,
        tls: tlsOf(connection),
        limits,
        signal,
        masked: maskOfConnection(connection),
      });
    },
  };
}

function urlOf(written: string): URL {
  const url = written.length <= LONGEST_URL && URL.canParse(written) ? new URL(written) : null;
  if (!url) throw invalid(['url'], `must be a URL of at most ${LONGEST_URL} characters`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw invalid(['url'], 'must begin with http:// or https://');
  if (url.username || url.password)
    throw invalid(['url'], 'must not contain a credential: send it in a header');
  // 0300.0.2.1, 0xc0000201 and full-width digits also denote an address: the host must be written as it will be used.
  const host = /^[a-z]+:[/\\]*([^/\\?#]*?)(?::\d*)?(?:[/\\?#]|$)/i.exec(written)?.[1]?.toLowerCase();
  if (/^[\d.]+$/.test(url.hostname) && host !== url.hostname)
    throw denied(url.host, url.hostname, `must be written as ${url.hostname}`);
  return url;
}

const denied = (called: string, host: string, fault: string) =>
  rejectedBy({ adapter: called, host, stage: 'connect' }, `the host ${fault}`, 'TARGET_DENIED');

/**
 * Returns the check for the addresses that the host of a URL resolves to; undefined when the URL itself is listed.
 *
 * @throws ServiceError BAD_GATEWAY for a host that is denied; BAD_REQUEST for one that no admin listed
 */
function permitted(url: URL, listed: readonly OutgoingTarget[], allowPrivateTargets: boolean) {
  const host = canonicalHost(url.hostname.replace(/^\[|\]$/g, '')) ?? '';
  const fault = hostFault(host, allowPrivateTargets);
  if (fault !== null) throw denied(url.host, host, fault);
  const scheme = url.protocol === 'https:' ? 'https' : 'http';
  const port = url.port === '' ? { https: 443, http: 80 }[scheme] : Number(url.port);
  const { isNamed, hasNetworks, admits } = matchTargets(listed, { scheme, host, port });
  if (isNamed) return undefined;
  const message = `${scheme}://${url.hostname}:${port} is not an outgoing target: an admin can list it with PUT /outgoing/targets`;
  if (!hasNetworks || isIP(host) !== 0)
    throw new ServiceError('BAD_REQUEST', `url: ${message}`, {
      issues: [{ path: ['url'], message, code: 'target_not_listed' }],
      extra: { reason: 'TARGET_NOT_LISTED', host, stage: 'connect', retryable: false },
    });
  return (address: string) => (admits(address) ? null : `resolves to ${address}, and ${message}`);
}

function urlBelow(
  { host = '', port, base_path = '/', ...connection }: RestTarget['connection'],
  path: string,
): URL {
  const secure = connection.protocol ? connection.protocol === 'https' : connection.tls?.enabled !== false;
  const authority = `${host.includes(':') ? `[${host}]` : host}${port === undefined ? '' : `:${port}`}`;
  return new URL(`${secure ? 'https' : 'http'}://${authority}${base_path.replace(/\/$/, '')}${path}`);
}

const exchanged = async (
  url: URL,
  { method, headers, body }: RestRequest,
  { called, tls, limits, signal, permits, masked = (text) => text }: RestSend,
  allowPrivateTargets: boolean,
): Promise<RestReply> => {
  const reply = await exchange(
    {
      secure: url.protocol === 'https:',
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port || undefined,
      method,
      path: `${url.pathname}${url.search}`,
      headers: {
        ...headers,
        ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
      },
      body,
      tls,
    },
    {
      called,
      allowPrivateTargets,
      connectMs: limits.connect,
      requestMs: limits.request,
      deadline: AbortSignal.timeout(limits.request),
      cancelled: signal,
      most: MOST,
      permits,
    },
  );
  const text = masked(reply.text);
  const where = { adapter: called, host: url.hostname, stage: 'request' as const };
  const shown = Object.entries(textsOf(reply.headers)).map(([name, value]) => [name, masked(value)]);
  return {
    status: reply.status,
    headers: Object.fromEntries(shown),
    body: text === '' ? null : await bodyValueOf(text, reply.headers, where),
  };
};

const textsOf = (headers: NodeJS.Dict<string | string[]>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );

function credentialOf({ authentication }: RestTarget['connection']): Record<string, string> {
  const { auth_method, username = '', password = '', token = '' } = authentication ?? {};
  if (auth_method === 'token') return token ? { Authorization: `Bearer ${token}` } : {};
  if (!username && !password) return {};
  return { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}
