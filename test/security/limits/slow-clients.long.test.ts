import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { inTransaction } from '#db/client.ts';
import { publish } from '#db/connections/publish.ts';
import { receive } from '#server/http/input/body.ts';
import { discardUnreadBodies } from '#server/http/input/unread-bodies.ts';
import { endUnreadAnswers } from '#server/http/unread-answers.ts';
import { createPerson } from '../../helpers/people.ts';
import { openService } from '../../helpers/service.ts';

/** Time after which a client that reads nothing is disconnected; it may take twice as long. */
const UNREAD_MS = 10_000;
const service = await openService({ TRUST_PROXY: '1' }, { unreadMs: UNREAD_MS });
const sockets: Socket[] = [];
afterAll(() => {
  for (const socket of sockets) socket.destroy();
});

/** A connection that sends this, and reads nothing. */
async function unreading(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined).pause();
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

/**
 * Reads 10 MB a second, also after it was held up: a system hands over megabytes at a time, and a slower reader takes none for
 * seconds.
 *
 * @returns how many bytes it has read
 */
function readSlowly(socket: Socket): () => number {
  const begun = performance.now();
  let size = 0;
  const read = async () => {
    for await (const part of socket) {
      size += (part as Buffer).length;
      if (size > (performance.now() - begun) * 10_000) await sleep(10);
    }
  };
  read().catch(() => undefined);
  return () => size;
}

/** Reads what still comes. @returns its size in bytes */
async function drained(socket: Socket): Promise<number> {
  let size = 0;
  socket.on('data', (part: Buffer) => {
    size += part.length;
  });
  await Promise.race([once(socket.resume(), 'close'), sleep(20_000)]);
  socket.destroy();
  return size;
}

const get = (path: string, token?: string) =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\n${token ? `Authorization: Bearer ${token}\r\n` : ''}\r\n`;

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Time of a request of somebody else, in milliseconds. */
async function timed(request: () => Promise<{ status: number }>): Promise<number> {
  const began = performance.now();
  expect((await request()).status).toBe(200);
  return performance.now() - began;
}

test('a client that stops reading is disconnected; one that waits for a slow answer, or reads slowly, is not', async () => {
  const body = Buffer.alloc(512 * 1024 * 1024);
  const server = createServer(async ({ url }, response) => {
    if (url === '/slow') await sleep(3000);
    response.end(url === '/slow' ? 'done' : body);
  });
  endUnreadAnswers(server, { ms: 1000 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => server.close());
  const { port } = server.address() as AddressInfo;
  const [waiting, slow, stopped] = [
    await unreading(port, get('/slow')),
    await unreading(port, get('/body')),
    await unreading(port, get('/body')),
  ];
  const count = () => new Promise<number>((resolve) => server.getConnections((_, n) => resolve(n)));
  const read = readSlowly(slow);
  const [text] = (await once(waiting.resume(), 'data')) as [Buffer];
  expect(text.toString()).toContain('done');
  waiting.destroy();
  await expect.poll(count).toBe(1);
  const before = read();
  await expect.poll(read).toBeGreaterThan(before);
  slow.destroy();
  stopped.destroy();
  await expect.poll(count).toBe(0);
});

test('while many large answers wait, the clients that hold most of them and do not read are disconnected soon', async () => {
  const body = Buffer.alloc(256 * 1024 * 1024);
  const server = createServer((_, response) => void response.end(body));
  endUnreadAnswers(server, { mostBytes: 4.5 * body.length });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => server.close());
  const { port } = server.address() as AddressInfo;
  const count = () => new Promise<number>((resolve) => server.getConnections((_, n) => resolve(n)));
  const reader = await unreading(port, get('/body').repeat(3));
  const read = readSlowly(reader);
  // With that of the client that reads slowly, it is less than the limit.
  const single = await unreading(port, get('/body'));
  await sleep(3000);
  expect(await count()).toBe(2);
  // One connection asks for several at once.
  const greedy = await unreading(port, get('/body').repeat(4));
  await expect.poll(count, { timeout: 5000 }).toBe(2);
  await drained(greedy);
  const before = read();
  await expect.poll(read).toBeGreaterThan(before);
  reader.destroy();
  single.destroy();
  await expect.poll(count).toBe(0);
});

test('a client that sends many requests at once, without waiting for answers, is disconnected', async () => {
  const server = createServer(async (_, response) => {
    await sleep(500);
    response.end('done');
  });
  endUnreadAnswers(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => server.close());
  const { port } = server.address() as AddressInfo;
  const some = await unreading(port, get('/').repeat(32));
  expect(await drained(some.once('data', () => setTimeout(() => some.end(), 1000)))).toBeGreaterThan(
    32 * 100,
  );
  const many = await unreading(port, get('/').repeat(1000));
  expect(await drained(many)).toBe(0);
}, 40_000);

test('a body that arrives byte by byte is rejected and its connection closed, one that arrives in parts is read', async () => {
  const pace = { bytes: 1024, ms: 400 };
  const server = createServer((incoming, outgoing) => {
    let size = 0;
    const count = (chunk: Buffer) => {
      size += chunk.length;
      return undefined;
    };
    receive(incoming, { bytes: 1_000_000 }, count, pace).then(
      () => outgoing.end(`read ${size}`),
      (error: Error) => outgoing.end(error.message),
    );
  });
  discardUnreadBodies(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => server.close());
  const { port } = server.address() as AddressInfo;
  const upload = async (part: string) => {
    const socket = await unreading(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 40960\r\n\r\n');
    let text = '';
    socket.on('data', (data: Buffer) => {
      text += data.toString();
    });
    let left = 40_960;
    const drip = setInterval(() => {
      if (left > 0 && socket.writable) socket.write(part);
      left -= part.length;
    }, 50);
    socket.resume();
    return { drip, socket, answered: () => text };
  };
  const slow = await upload('x');
  const steady = await upload('x'.repeat(2048));
  await expect.poll(slow.answered).toContain('less than 1 KiB in 30 s');
  await expect.poll(steady.answered).toContain('read 40960');
  clearInterval(slow.drip);
  clearInterval(steady.drip);
  // It pauses now: its connection is closed, however much of the body it still owes.
  await expect.poll(() => slow.socket.closed).toBe(true);
});

test('a signed-in client that sends a body byte by byte gets an error within a minute', async () => {
  const { token } = await service.callerWith('admin');
  const head = `POST /tags/create HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n`;
  const socket = await unreading(service.port, head);
  const drip = setInterval(() => socket.writable && socket.write(' '), 200);
  const [answer] = (await once(socket.resume(), 'data')) as [Buffer];
  clearInterval(drip);
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 400 .*The body arrives too slowly/s);
}, 70_000);

test('event streams that are never read hold few events in memory, on both faces, and are disconnected', async () => {
  const own = await openService({}, { unreadMs: 1000 });
  const accepted = new Set<Socket>();
  own.server.on('connection', (socket: Socket) =>
    accepted.add(socket.on('close', () => accepted.delete(socket))),
  );
  const { token } = await own.callerWith('admin');
  const input = encodeURIComponent(JSON.stringify({ topics: ['configurationChanged'] }));
  for (const path of ['/events?topics=configurationChanged', `/trpc/events.stream?input=${input}`]) {
    for (let at = 0; at < 4; at += 1) await unreading(own.port, get(path, token));
  }
  await expect.poll(() => accepted.size).toBeGreaterThanOrEqual(8);
  const streams = [...accepted];
  const isOpen = ({ bytesWritten }: Socket) => bytesWritten > 0;
  await expect.poll(() => streams.filter(isOpen).length).toBe(8);
  // More than the operating system keeps for a connection.
  const size = 256 * 1024;
  let most = 0;
  for (let at = 0; at < 120; at += 1) {
    const payload = { kind: 'tree', change: 'updated', name: 'x'.repeat(size) };
    await inTransaction(own.db, (tx) =>
      publish(tx, [
        {
          source: '@switchyard/configurations',
          topic: 'configurationChanged',
          kind: 'tree',
          subjects: ['never-read'],
          payload,
        },
      ]),
    );
    most = Math.max(most, ...streams.map(({ writableLength }) => writableLength));
  }
  await expect
    .poll(
      () => {
        most = Math.max(most, ...streams.map(({ writableLength }) => writableLength));
        return streams.filter((one) => accepted.has(one)).length;
      },
      { timeout: 40_000, interval: 50 },
    )
    .toBe(0);
  console.info(`most that waited for one client: ${Math.round(most / 1024)} KiB`);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThan(3 * size);
});

test('clients that send their headers slowly, or read no answer and no event, are disconnected, and others are served', async () => {
  const { token } = await service.callerWith('admin');
  const typical = async () => {
    const times: number[] = [];
    for (let at = 0; at < 20; at += 1) times.push(await timed(() => service.send('admin', 'GET', '/whoami')));
    return median(times);
  };
  const alone = await typical();
  const before = process.memoryUsage().rss;
  const dripping = await Promise.all(
    Array.from({ length: 300 }, () => unreading(service.port, 'GET /whoami HTTP/1.1\r\nHost: a\r\n')),
  );
  const drip = setInterval(() => {
    for (const one of dripping) if (one.writable) one.write('X-A: b\r\n');
  }, 1000);
  // Together the answers are larger than what the operating system keeps for a connection.
  const unread = await Promise.all(
    Array.from({ length: 40 }, () => unreading(service.port, get('/openapi.json').repeat(20))),
  );
  for (let at = 0; at < 50; at += 1) await unreading(service.port, get('/events', token));
  const beside = await typical();
  const grown = Math.round((process.memoryUsage().rss - before) / 1024 / 1024);
  console.info(`median ${alone.toFixed(1)} ms alone, ${beside.toFixed(1)} ms beside; ${grown} MiB more`);
  expect(beside).toBeLessThan(alone * 20 + 100);
  expect(grown).toBeLessThan(600);
  // On a busy machine some are disconnected already.
  await Promise.all(dripping.map((one) => one.closed || once(one.resume(), 'close')));
  clearInterval(drip);
  // Node first notices that less is waiting than was written, and only then that it is no less any more.
  await sleep(2 * UNREAD_MS);
  const sizes = await Promise.all(unread.map(drained));
  const { length } = Buffer.from((await service.send(null, 'GET', '/openapi.json')).text);
  expect(Math.max(...sizes)).toBeLessThan(20 * length);
}, 300_000);

test('a flood of sign-ins from some addresses delays those of others, and their other requests, by little', async () => {
  const person = await createPerson(service);
  const login = (address: string, username: string, password: string) =>
    service.send(null, 'POST', '/login', { username, password }, { headers: { 'X-Forwarded-For': address } });
  await service.callerWith('admin');
  const own = () => timed(() => login('203.0.113.7', person.username, person.password));
  const alone = await own();
  let left = 0;
  const flood = Array.from({ length: 240 }, (_, at) => {
    left += 1;
    return login(`198.51.100.${(at % 3) + 1}`, `nobody-${at}`, 'wrong').then(() => {
      left -= 1;
    });
  });
  // Now all of them wait in the service.
  await expect.poll(() => left).toBeLessThan(230);
  const before = left;
  const [beside, other] = await Promise.all([
    own(),
    timed(() => service.send('admin', 'GET', '/audit?limit=1')),
  ]);
  const overtaken = before - left;
  console.info(
    `a sign-in: ${alone.toFixed(0)} ms alone, ${beside.toFixed(0)} ms after ${overtaken} of ${before} that wait; another request: ${other.toFixed(0)} ms`,
  );
  // Its turn comes after one of each address.
  expect(overtaken).toBeLessThan(60);
  await Promise.all(flood);
});
