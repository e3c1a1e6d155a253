import { invalid } from '#server/errors.ts';
import { exchange, tlsOf } from '../http/exchange.ts';
import type { RestPort, RestReply, RestRequest, RestTarget } from './ports.ts';

/** Most bytes of an answer: what is longer is refused, not cut. A job has to carry it. */
const MOST = 8 * 1024 * 1024;
const LONGEST_URL = 8000;

const LIMITS = { connect: 10_000, request: 60_000 };

type Sending = {
  /** What messages call the other side. */
  called: string;
  tls?: object;
  limits: typeof LIMITS;
  signal: AbortSignal;
};

/** @param allowNear ALLOW_PRIVATE_TARGETS */
export function openRest({ allowNear }: { allowNear: boolean }): RestPort {
  const send = (url: URL, request: RestRequest, sending: Sending) =>
    exchanged(url, request, sending, allowNear);
  return {
    call: async (written, request, signal) => {
      const url = urlOf(written);
      return send(url, request, { called: url.host, limits: LIMITS, signal });
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
      });
    },
  };
}

function urlOf(written: string): URL {
  const url = written.length <= LONGEST_URL && URL.canParse(written) ? new URL(written) : null;
  if (!url) throw invalid(['url'], `must be a URL of at most ${LONGEST_URL} characters`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw invalid(['url'], 'must begin with http:// or https://');
  if (url.username || url.password) throw invalid(['url'], 'must not hold a credential: send it in a header');
  return url;
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
  { called, tls, limits, signal }: Sending,
  allowNear: boolean,
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
      allowNear,
      connectMs: limits.connect,
      requestMs: limits.request,
      deadline: AbortSignal.timeout(limits.request),
      cancelled: signal,
      most: MOST,
    },
  );
  return { status: reply.status, headers: textsOf(reply.headers), body: bodyOf(reply.text, reply.headers) };
};

const textsOf = (headers: NodeJS.Dict<string | string[]>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );

/** A body that is called JSON and is none stays text. */
function bodyOf(text: string, headers: NodeJS.Dict<string | string[]>): unknown {
  if (text === '') return null;
  if (!/json/i.test(String(headers['content-type'] ?? ''))) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function credentialOf({ authentication }: RestTarget['connection']): Record<string, string> {
  const { auth_method, username = '', password = '', token = '' } = authentication ?? {};
  if (auth_method === 'token') return token ? { Authorization: `Bearer ${token}` } : {};
  if (!username && !password) return {};
  return { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}
