import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { openHttp } from '#server/southbound/http/http.ts';
import { makeFolder } from '../helpers/folder.ts';
import { isLong } from '../helpers/long.ts';
import { openAuthority } from '../lab/certificates.ts';

let connections = 0;
const sockets = new Set<Socket>();
const server = createServer((socket) => {
  connections += 1;
  sockets.add(socket);
});
server.listen(0, '::');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** Ways to write addresses of this machine and of metadata services. */
const OWN = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
  '①②⑦.⓪.⓪.①',
  '0',
  '0.0.0.0',
  '000.0.0.0',
  '0x0',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  'a.b.localhost.',
  'ⓛocalhost',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::0001]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2002:7f00:1::1]',
  '[fe80::1]',
  '[fe80::]',
  '[febf::1]',
  '169.254.0.1',
  '169.254.1.1',
  '0xa9fe0101',
  '224.0.0.1',
  '239.255.255.255',
  '255.255.255.255',
  '[ff02::1]',
  '[ff0e::1]',
  hostname(),
];
const METADATA = [
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '0251.0376.0251.0376',
  '169.254.43518',
  '169.254.169.254.',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[::169.254.169.254]',
  '[64:ff9b::a9fe:a9fe]',
  '[2002:a9fe:a9fe::]',
  '[fd00:ec2::254]',
  '[FD00:EC2:0:0::254]',
  '[fd00:ec2::23]',
  '[fd20:ce::254]',
  '[fe80::a9fe:a9fe]',
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  'metadata.google.internal',
  'METADATA.google.INTERNAL',
  'metadata.google.internal.',
  'metadata',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
];

const target = { adapter: 'lab', tls: {}, timeouts: { connect: 1000, request: 1000 }, connectionKey: 'lab' };

async function reasonOf(allowPrivateTargets: boolean, host: string): Promise<unknown> {
  const http = openHttp({ allowPrivateTargets });
  const written = `http://${host}:${port}/`;
  if (!URL.canParse(written)) return 'TARGET_DENIED';
  const url = new URL(written);
  const signal = AbortSignal.timeout(5000);
  const failed = (error: { extra?: { reason?: string } }) => error.extra?.reason ?? error;
  const sent = { method: 'GET', url, headers: {} };
  const [send, connect] = await Promise.all([
    http.send(target, sent, { signal, maxBytes: 1000 }).then(() => 'sent', failed),
    http.connect(target, url, signal).then(() => 'connected', failed),
  ]);
  return send === connect ? send : [send, connect];
}

test('no spelling of an address of this machine, and of no metadata service, opens a connection', async () => {
  const reached: unknown[] = [];
  for (const host of [...OWN, ...METADATA]) {
    const reason = await reasonOf(false, host);
    // Some machines do not know their own name, which then leads nowhere.
    if (reason !== 'TARGET_DENIED' && !(host === hostname() && reason === 'DNS'))
      reached.push([host, reason]);
  }
  for (const host of METADATA) {
    const reason = await reasonOf(true, host);
    if (reason !== 'TARGET_DENIED') reached.push([host, reason]);
  }
  expect(reached).toEqual([]);
  expect(connections).toBe(0);
});

test('a server that answers with another protocol fails the request at once', async () => {
  const switching = createServer((socket) => {
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n'),
    );
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(switching, 'listening');
  const url = new URL(`http://127.0.0.1:${(switching.address() as AddressInfo).port}/`);
  const sent = openHttp({ allowPrivateTargets: true }).send(
    { ...target, timeouts: { connect: 1000, request: 60_000 } },
    { method: 'GET', url, headers: {} },
    { signal: AbortSignal.timeout(60_000), maxBytes: 1000 },
  );
  await expect(sent).rejects.toMatchObject({ extra: { reason: 'RESET' } });
  switching.close();
});

test('an answer without a byte is empty, though it names a coding', async () => {
  const empty = createHttpServer((_, response) => {
    response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': 0 }).end();
  }).listen(0, '127.0.0.1');
  await once(empty, 'listening');
  const url = new URL(`http://127.0.0.1:${(empty.address() as AddressInfo).port}/`);
  const answer = await openHttp({ allowPrivateTargets: true }).send(
    target,
    { method: 'GET', url, headers: {} },
    { signal: AbortSignal.timeout(5000), maxBytes: 1000 },
  );
  expect([answer.status, answer.bytes.length]).toEqual([200, 0]);
  empty.close();
});

test('a failed handshake says what is wrong: authority, name, time, or no TLS', async () => {
  const authority = openAuthority();
  const own = { names: ['127.0.0.1'] };
  const faultOf = async (server: Server, ca?: string) => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const sent = openHttp({ allowPrivateTargets: true }).send(
      { ...target, connectionKey: url.port, tls: ca ? { ca } : {} },
      { method: 'GET', url, headers: {} },
      { signal: AbortSignal.timeout(5000), maxBytes: 1000 },
    );
    const outcome = await sent.then(
      ({ status }) => status,
      (error: Error) => error.message.replace(/^.*\): /, ''),
    );
    server.close();
    return outcome;
  };
  const serving = (more: object) => createHttpsServer(more, (_, response) => void response.end('served'));
  const trusted = authority.ca;
  expect(await faultOf(serving(authority.issue(own)), trusted)).toBe(200);
  expect(await faultOf(serving(authority.issue(own)))).toMatch(/not signed by a trusted authority; `ca`/);
  expect(await faultOf(serving(authority.issue({ names: ['other.example'] })), trusted)).toMatch(
    /another name/,
  );
  const expired = authority.issue({ ...own, until: new Date(Date.now() - 60_000) });
  expect(await faultOf(serving(expired), trusted)).toMatch(/not valid at this time/);
  expect(await faultOf(createHttpServer(), trusted)).toBe('the host does not speak TLS');
});

test('a certificate may be for the name or the address that a connection states, of which only a name is sent', async () => {
  const authority = openAuthority();
  const sent: unknown[] = [];
  const server = createHttpsServer(
    authority.issue({ names: ['api.example', '192.0.2.7'] }),
    ({ socket }, response) => {
      sent.push((socket as TLSSocket & { servername: string | false }).servername);
      response.end();
    },
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const statusWith = (serverName: string) =>
    openHttp({ allowPrivateTargets: true })
      .send(
        { ...target, connectionKey: serverName, tls: { ca: authority.ca, serverName } },
        { method: 'GET', url, headers: {} },
        { signal: AbortSignal.timeout(5000), maxBytes: 1000 },
      )
      .then(({ status }) => status);
  expect([await statusWith('api.example'), await statusWith('192.0.2.7')]).toEqual([200, 200]);
  await expect(statusWith('192.0.2.8')).rejects.toThrow('the certificate is for another name');
  expect(sent).toEqual(['api.example', false]);
  server.close();
});

/** A program that requests the URL in its first argument, and prints the status. */
const REQUEST = `
  import { openHttp } from '#server/southbound/http/http.ts';
  const url = new URL(process.argv.at(-1));
  const target = { adapter: 'lab', tls: {}, timeouts: { connect: 5000, request: 5000 }, connectionKey: 'lab' };
  const options = { signal: AbortSignal.timeout(5000), maxBytes: 1000 };
  const { status } = await openHttp({ allowPrivateTargets: true }).send(target, { method: 'GET', url, headers: {} }, options);
  console.log(status);
  process.exit();`;

test.skipIf(!isLong)(
  'authorities in the file of NODE_EXTRA_CA_CERTS are trusted beside those of Node.js',
  async () => {
    const authority = openAuthority();
    const file = join(await makeFolder(), 'authority.pem');
    await writeFile(file, authority.ca);
    const identity = authority.issue({ names: ['127.0.0.1'] });
    const server = createHttpsServer(identity, (_, response) => void response.end('served'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const program = ['--import', 'tsx', '--input-type=module', '-e', REQUEST, url];
    const request = (more: Record<string, string>) =>
      promisify(execFile)(process.execPath, program, { env: { ...process.env, ...more } });
    expect((await request({ NODE_EXTRA_CA_CERTS: file })).stdout).toBe('200\n');
    await expect(request({})).rejects.toMatchObject({ stderr: expect.stringContaining('TLS_FAILED') });
    server.close();
  },
);
