import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { readText } from '#server/http/input/body.ts';

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

/** Reads the body of a request once what was sent with its headers is there, and counts the timers that this needs. */
async function echo(incoming: IncomingMessage): Promise<string> {
  do await new Promise((resolve) => setImmediate(resolve));
  while (incoming.url === '/whole' && incoming.readableLength < Number(incoming.headers['content-length']));
  const before = timers();
  const reading = readText(incoming, ['application/json'], { bytes: 20 });
  const begun = timers() - before;
  return `${begun} timers: ${await reading.catch((error: Error) => error.message)}\n`;
}

const server = createServer(async (incoming, outgoing) => {
  outgoing.end(await echo(incoming));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => server.close());

const { port } = server.address() as AddressInfo;
const head = (length: number, more = '', path = '/') =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n`;
const LAST = 'Connection: close\r\n';

test('a body that has arrived with its headers needs no timer, and the next request of the connection is answered', async () => {
  const socket = connect(port, '127.0.0.1');
  socket.write(`${head(8)}{"a": 1}`);
  const [first] = await once(socket, 'data');
  expect(String(first)).toContain('0 timers: {"a": 1}');
  socket.write(`${head(8)}{"a": 2}${head(8, LAST)}{"a": 3}`);
  const rest = await text(socket);
  expect(rest).toContain('0 timers: {"a": 2}');
  expect(rest).toContain('0 timers: {"a": 3}');
});

test('a body that has arrived in pieces before it is read is read whole', async () => {
  const socket = connect(port, '127.0.0.1');
  socket.write(`${head(8, LAST, '/whole')}{"a"`);
  await new Promise((resolve) => setTimeout(resolve, 50));
  socket.write(': 1}');
  expect(await text(socket)).toContain('0 timers: {"a": 1}');
});

test('a body that arrives later is waited for, with a limit of time', async () => {
  const socket = connect(port, '127.0.0.1');
  socket.write(`${head(8, LAST)}{"a"`);
  await new Promise((resolve) => setTimeout(resolve, 50));
  socket.write(': 1}');
  expect(await text(socket)).toContain('1 timers: {"a": 1}');
});

test('a body over the limit is rejected although it has arrived', async () => {
  const socket = connect(port, '127.0.0.1');
  socket.write(`${head(30, LAST)}{"a": "${'x'.repeat(21)}"}`);
  expect(await text(socket)).toContain('larger than the limit');
});
