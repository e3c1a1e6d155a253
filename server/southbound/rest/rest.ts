import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { invalid } from '#server/errors.ts';
import { hostFault } from '#server/targets.ts';
import { checkedLookup } from '../lookup.ts';
import { connectionFailed, refusedBy, type Stage, tooSlow } from '../orchestrator/failures.ts';
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
    exchange(url, request, sending, allowNear);
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

async function exchange(
  url: URL,
  { method, headers, body }: RestRequest,
  sending: Sending,
  allowNear: boolean,
) {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  let stage: Stage = 'connect';
  const where = () => ({ adapter: sending.called, host, stage });
  const fault = hostFault(host, allowNear);
  if (fault) throw refusedBy(where(), `the host ${fault}`, 'TARGET_DENIED');
  sending.signal.throwIfAborted();
  const deadline = AbortSignal.timeout(sending.limits.request);
  const isSecure = url.protocol === 'https:';
  return new Promise<RestReply>((resolve, reject) => {
    const options = {
      method,
      headers: {
        ...headers,
        ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
      },
      lookup: checkedLookup(allowNear),
      signal: AbortSignal.any([sending.signal, deadline]),
      agent: false as const,
    };
    // Wrong PEM text, or a sign that no header can carry, is thrown at once.
    let sent: ReturnType<typeof plainRequest>;
    try {
      sent = isSecure ? secureRequest(url, { ...options, ...sending.tls }) : plainRequest(url, options);
    } catch (error) {
      return reject(connectionFailed(where(), error as Error));
    }
    const impatience = setTimeout(() => {
      reject(tooSlow(where(), sending.limits.connect));
      sent.destroy();
    }, sending.limits.connect);
    const failed = (error: Error) => {
      clearTimeout(impatience);
      if (sending.signal.aborted) return reject(sending.signal.reason);
      reject(deadline.aborted ? tooSlow(where(), sending.limits.request) : connectionFailed(where(), error));
    };
    sent.on('socket', (socket) =>
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        clearTimeout(impatience);
        stage = 'request';
      }),
    );
    sent.on('error', failed);
    sent.on('response', (got) => {
      const parts: Buffer[] = [];
      let size = 0;
      got.on('data', (part: Buffer) => {
        size += part.length;
        if (size <= MOST) return void parts.push(part);
        reject(refusedBy(where(), `the answer is longer than ${MOST / 1024 / 1024} MiB`, 'OUTPUT_LIMIT'));
        sent.destroy();
      });
      got.on('error', failed);
      got.on('aborted', () => failed(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })));
      got.on('end', () => {
        const text = Buffer.concat(parts).toString('utf8');
        resolve({
          status: got.statusCode ?? 0,
          headers: textsOf(got.headers),
          body: bodyOf(text, got.headers),
        });
      });
    });
    sent.end(body);
  });
}

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

const tlsOf = ({ tls }: RestTarget['connection']) => ({
  rejectUnauthorized: tls?.rejectUnauthorized !== false,
  ...(tls?.ca && { ca: tls.ca }),
  ...(tls?.cert && { cert: tls.cert }),
  ...(tls?.key && { key: tls.key }),
});
