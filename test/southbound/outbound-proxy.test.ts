import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { readConfig } from '#server/kernel/config.ts';
import { openHttp } from '#server/southbound/http/http.ts';
import { openOutboundProxy } from '#server/southbound/http/outbound-proxy.ts';
import { openProxy, PROXY_CREDENTIALS } from '../helpers/http/outbound-proxy.ts';
import { openAuthority } from '../lab/certificates.ts';

const NAME = 'api.example.net';
const authority = openAuthority();
const heard: (string | undefined)[] = [];
const listener: RequestListener = (incoming, outgoing) => {
  heard.push(incoming.headers['proxy-authorization']);
  incoming.resume().on('end', () => outgoing.end(`${incoming.method} ${incoming.url}`));
};
const plain = createServer(listener).listen(0, '127.0.0.1');
const secure = createSecureServer(authority.issue({ names: [NAME] }), listener).listen(0, '127.0.0.1');
await Promise.all([once(plain, 'listening'), once(secure, 'listening')]);
const portOf = (server: { address: () => unknown }) => (server.address() as AddressInfo).port;
const proxy = await openProxy();
afterAll(() => {
  proxy.close();
  for (const server of [plain, secure]) {
    server.closeAllConnections();
    server.close();
  }
});
beforeEach(() => {
  proxy.seen.length = 0;
  heard.length = 0;
});

const target = {
  adapter: 'lab',
  tls: { ca: authority.ca },
  timeouts: { connect: 3000, request: 5000 },
  connectionKey: 'lab',
};

/** An access to other systems through a proxy. */
const through = (port: number, credentials = PROXY_CREDENTIALS) => {
  const url = new URL(`http://${credentials}@127.0.0.1:${port}`);
  return openHttp({
    allowPrivateTargets: true,
    findProxy: openOutboundProxy({ url, except: ['*.inside.example.net', '192.0.2.0/24'] }),
  });
};
const optionsOf = () => ({ signal: AbortSignal.timeout(10_000), maxBytes: 1000 });

async function textOf(http: ReturnType<typeof openHttp>, href: string, body?: string) {
  const method = body === undefined ? 'GET' : 'POST';
  const answer = await http.send(target, { method, url: new URL(href), headers: {}, body }, optionsOf());
  return `${answer.status} ${answer.bytes}`;
}

test('an encrypted request passes through a tunnel, and its certificate is checked for the other system', async () => {
  const http = through(proxy.port);
  const place = `${NAME}:${portOf(secure)}`;
  expect(await textOf(http, `https://${place}/a?b=c`, '{}')).toBe('200 POST /a?b=c');
  // It is free in the next turn.
  await turn();
  expect(await textOf(http, `https://${place}/again`)).toBe('200 GET /again');
  // One tunnel serves both requests, and the credentials of the proxy go no further.
  expect(proxy.seen).toEqual([`CONNECT ${place}`]);
  expect(heard).toEqual([undefined, undefined]);
  await expect(textOf(http, `https://other.example.net:${portOf(secure)}/`)).rejects.toMatchObject({
    extra: { reason: 'TLS_FAILED' },
  });
});

test('a plain request is given to the proxy with its whole address', async () => {
  const url = `http://${NAME}:${portOf(plain)}/a?b=c`;
  expect(await textOf(through(proxy.port), url, '{}')).toBe('200 POST /a?b=c');
  expect(proxy.seen).toEqual([`POST ${url}`]);
  expect(heard).toEqual([undefined]);
});

test('this machine and excepted hosts are reached without it', async () => {
  const http = through(proxy.port);
  expect(await textOf(http, `http://127.0.0.1:${portOf(plain)}/direct`)).toBe('200 GET /direct');
  for (const host of ['a.inside.example.net', '192.0.2.7']) {
    const findProxy = openOutboundProxy({
      url: new URL('http://proxy'),
      except: ['*.inside.example.net', '192.0.2.0/24'],
    });
    expect(findProxy(host, true)).toBeUndefined();
  }
  expect(proxy.seen).toEqual([]);
});

test('the test of a connection goes through it too', async () => {
  const http = through(proxy.port);
  await http.connect(target, new URL(`https://${NAME}:${portOf(secure)}`), optionsOf().signal);
  await http.connect(target, new URL(`http://${NAME}:${portOf(plain)}`), optionsOf().signal);
  expect(proxy.seen).toEqual([`CONNECT ${NAME}:${portOf(secure)}`, `HEAD http://${NAME}:${portOf(plain)}/`]);
});

test.each([
  [
    'rejects the credentials',
    'wanderer:wrong',
    NAME,
    /through 127\.0\.0\.1: the proxy rejects the credentials/,
  ],
  [
    'answers otherwise',
    PROXY_CREDENTIALS,
    'a.denied.example.net',
    /through 127\.0\.0\.1: the proxy answered 403/,
  ],
])('a proxy that %s is named as the cause, without its password', async (_, credentials, host, message) => {
  const sent = textOf(through(proxy.port, credentials), `https://${host}:${portOf(secure)}/`);
  await expect(sent).rejects.toMatchObject({
    message: expect.stringMatching(message),
    extra: { reason: 'PROXY_REFUSED' },
  });
  await expect(sent).rejects.not.toThrow(/wrong|pass.word/);
  expect(heard).toEqual([]);
});

test('a proxy that rejects the credentials of a plain request is named as well', async () => {
  const sent = textOf(through(proxy.port, 'wanderer:wrong'), `http://${NAME}:${portOf(plain)}/`);
  await expect(sent).rejects.toMatchObject({ extra: { reason: 'PROXY_REFUSED' } });
  expect(heard).toEqual([]);
});

test('a proxy that cannot be reached is named as the cause', async () => {
  await expect(textOf(through(1), `https://${NAME}:${portOf(secure)}/`)).rejects.toThrow(
    /no connection through the proxy 127\.0\.0\.1: /,
  );
});

test.each([
  ['OUTBOUND_PROXY', 'socks5://wanderer:hidden@proxy.example.net'],
  ['OUTBOUND_PROXY', 'wanderer:hidden@proxy.example.net:3128'],
  ['OUTBOUND_PROXY_EXCEPT', 'fine.example.net,hidden host'],
])('a wrong %s is named without its value', (name, value) => {
  const read = () => readConfig({ [name]: value });
  expect(read).toThrow(name);
  expect(read).not.toThrow('hidden');
});

test('the settings of the environment are those of the proxy', () => {
  const { outboundProxy } = readConfig({
    OUTBOUND_PROXY: `http://${PROXY_CREDENTIALS}@proxy:3128`,
    OUTBOUND_PROXY_EXCEPT: '*.example.net, 10.0.0.0/8',
  });
  expect(outboundProxy?.url.host).toBe('proxy:3128');
  expect(outboundProxy?.except).toEqual(['*.example.net', '10.0.0.0/8']);
});
