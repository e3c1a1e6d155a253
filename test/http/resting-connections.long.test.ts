import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { openService } from '../helpers/service.ts';

const service = await openService();

const REQUEST = 'GET /health/live HTTP/1.1\r\nHost: switchyard.example\r\n\r\n';
/** More than the default of Node, 5 s, and than the headers of a request may take, 15 s, with the time to notice. */
const REST_MS = 22_000;

test('a connection that rested is still answered, and says how long it may rest', async () => {
  const { port, hostname } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  const ask = async () => {
    socket.write(REQUEST);
    const [answer] = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => ['closed'])]);
    return String(answer);
  };
  try {
    const first = await ask();
    expect(first).toMatch(/^HTTP\/1.1 200 /);
    expect(first).toMatch(/^Keep-Alive: timeout=620\r$/m);
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
    expect(await ask()).toMatch(/^HTTP\/1.1 200 /);
  } finally {
    socket.destroy();
  }
});
