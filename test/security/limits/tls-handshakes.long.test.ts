import { once } from 'node:events';
import { get } from 'node:https';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { openService } from '../../helpers/service.ts';
import { openAuthority } from '../../lab/certificates.ts';

const { cert, key } = openAuthority().issue({ names: ['localhost'] });
const service = await openService({}, { tls: { cert: Buffer.from(cert), key: Buffer.from(key) } });

/** The beginning of a ClientHello, whose rest never comes. */
const PART_OF_HELLO = Buffer.from('16030100c8010000c40303', 'hex');

/** Opens a connection that sends this and nothing more. @returns what settles once the service has closed it */
async function begun(sent?: Buffer): Promise<{ closed: Promise<unknown> }> {
  const socket = connect(service.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  // Whether it is closed or reset does not matter.
  socket.on('error', () => undefined).resume();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  if (sent) socket.write(sent);
  return { closed };
}

test('connections whose TLS handshake does not end are closed like those that send no headers; others are served', async () => {
  const handshakes = await Promise.all([
    begun(),
    begun(PART_OF_HELLO),
    begun(Buffer.from('GET / HTTP/1.1\r\n\r\n')),
  ]);
  // One that ends its handshake, and sends no request that can be read, is answered as without TLS.
  const answered = connectTls({ port: service.port, host: '127.0.0.1', rejectUnauthorized: false });
  answered.end('nonsense\r\n\r\n');
  expect(await text(answered)).toContain('HTTP/1.1 400');
  const [response] = await once(
    get({ port: service.port, path: '/health/live', rejectUnauthorized: false, agent: false }),
    'response',
  );
  expect(response.statusCode).toBe(200);
  response.resume();
  await Promise.all(handshakes.map(({ closed }) => closed));
}, 60_000);
