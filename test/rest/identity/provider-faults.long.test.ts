import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { openBrowser } from '../../helpers/identity/browser.ts';
import { openOidcServer } from '../../helpers/identity/oidc-server.ts';
import { createPerson } from '../../helpers/people.ts';
import { freePort } from '../../helpers/processes/free-port.ts';
import { openService } from '../../helpers/service.ts';
import { openAuthority } from '../../lab/certificates.ts';

const service = await openService();
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

async function create(name: string, settings: object): Promise<string> {
  const provider = { name, defaultRoles: ['apiread'], ...settings };
  const made = await service.send('admin', 'POST', '/sign_in/providers', { provider });
  expect(made.status, made.text).toBe(200);
  return (made.json as { data: { _id: string } }).data._id;
}

const certificate = openAuthority().issue({ names: ['127.0.0.1', 'localhost'] });
const described = (size: number) => JSON.stringify({ issuer: 'http://127.0.0.1', filler: 'x'.repeat(size) });

const OIDC_FAULTS = {
  half: () =>
    createServer((_, answer) => {
      answer.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100000' });
      answer.write('{"issuer":');
      setTimeout(() => answer.destroy(), 50);
    }),
  'ten-times': () =>
    createServer((_, answer) => {
      answer.writeHead(200, { 'Content-Type': 'application/json' });
      answer.end(described(10 * 1024 * 1024));
    }),
  garbage: () => createServer((_, answer) => answer.end('<html>')),
  silent: () => createServer(() => undefined),
  'wrong-certificate': () => createSecureServer(certificate, (_, answer) => answer.end('{}')),
  unreachable: null,
};

/** The fault is named on the page of the provider, and in the health view. */
async function expectNamed(id: string, name: string) {
  const tested = await service.send('admin', 'POST', `/sign_in/providers/${id}/test`, {});
  expect(tested.json).toMatchObject({ ok: false, reason: expect.stringMatching(/^[A-Z][A-Z_]+$/) });
  const { reason } = tested.json as { reason: string };
  const page = await service.send('admin', 'GET', `/sign_in/providers/${id}`);
  expect(page.json).toMatchObject({ status: { ok: false, reason } });
  const health = await service.send('admin', 'GET', '/health/connections');
  const { results } = health.json as { results: { name: string }[] };
  expect(results.map((one) => one.name)).toContain(name);
}

test.each(Object.entries(OIDC_FAULTS))(
  'an OpenID Connect provider that answers with the fault %s is a named error on its page and in the health view',
  async (name, open) => {
    const port = open ? await portOf(open()) : await freePort();
    const issuer = `http${name === 'wrong-certificate' ? 's' : ''}://127.0.0.1:${port}`;
    const id = await create(name, {
      type: 'oidc',
      oidc: { issuer, clientId: 'c', clientSecret: 'walnut-46' },
    });
    await expectNamed(id, name);
  },
);

test('an OpenID Connect provider that does not accept the client secret is named by a test and by a sign-in, and accepts the right one', async () => {
  const oidc = await openOidcServer();
  const settings = (clientSecret: string) => ({
    oidc: { issuer: oidc.issuer, clientId: 'switchyard', clientSecret },
  });
  const id = await create('wrong-secret', { type: 'oidc', ...settings('walnut-46') });
  oidc.start(service.url, id);
  oidc.users.set('u-1', { name: 'ada', groups: [] });
  oidc.user.current = 'u-1';
  const statusOf = async () =>
    ((await service.send('admin', 'GET', `/sign_in/providers/${id}`)).json as { status: object }).status;
  const signIn = () =>
    openBrowser().visit(`${service.url}/sign_in/oidc/${id}/start`, {
      until: (url) => url.searchParams.has('signInError'),
    });
  await expectNamed(id, 'wrong-secret');
  const rejected = { ok: false, reason: 'CLIENT_REFUSED' };
  expect(await statusOf()).toMatchObject(rejected);
  const update = (clientSecret: string) =>
    service.send('admin', 'PATCH', `/sign_in/providers/${id}`, { updates: settings(clientSecret) });
  await update('lantern-quarry-46');
  const tested = await service.send('admin', 'POST', `/sign_in/providers/${id}/test`, {});
  expect(tested.json).toMatchObject({ ok: true });
  await update('walnut-46');
  const end = await signIn();
  expect(end.url.searchParams.get('signInError')).toBe('CLIENT_REFUSED');
  expect(await statusOf()).toMatchObject(rejected);
});

test('LDAP directories that are closed, silent, talk nonsense, send half an answer or far too much are named, and local accounts sign in beside them', async () => {
  const nonsense = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
  });
  const silent = createTcpServer((socket) => void socket.on('error', () => undefined));
  const closed = createTcpServer();
  const closedPort = await portOf(closed);
  closed.close();
  // Half of an answer: an element whose length exceeds what follows.
  const half = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.from([0x30, 0x84, 0, 0, 0x10, 0, 0x02, 0x01])));
  });
  // Ten times as much as any answer: an element of 32 MiB, sent as fast as it is read.
  const tenTimes = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(Buffer.from([0x30, 0x84, 0x02, 0, 0, 0]));
      for (let sent = 0; sent < 32; sent += 1) socket.write(Buffer.alloc(1024 * 1024, 'x'));
    });
  });
  // It agrees to StartTLS (an answer to the request 2 with the result 0) and is silent then.
  const silentTls = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(Buffer.from('300c02010278070a010004000400', 'hex')));
  });
  const ports = {
    'silent-tls': await portOf(silentTls),
    closed: closedPort,
    nonsense: await portOf(nonsense),
    silent: await portOf(silent),
    half: await portOf(half),
    'ten-times': await portOf(tenTimes),
  };
  for (const [name, port] of Object.entries(ports)) {
    const ldap = { url: `ldap://127.0.0.1:${port}`, userBase: 'dc=example,dc=net' };
    await expectNamed(await create(`ldap-${name}`, { type: 'ldap', ldap }), `ldap-${name}`);
  }
  const { username, password } = await createPerson(service, ['admin']);
  const began = performance.now();
  const local = await service.send(null, 'POST', '/login', { username, password });
  expect(local.status, local.text).toBe(200);
  expect(performance.now() - began).toBeLessThan(5000);
});
