import { createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openGnoi } from '#server/southbound/gnoi/gnoi.ts';

const gnoi = openGnoi({ allowPrivateTargets: true });
const HEADERS = { ':status': 200, 'content-type': 'application/grpc' };

/** What a request for the time fails with at an HTTP/2 server that answers it so. */
async function failureAt(answer: (stream: ServerHttp2Stream) => void) {
  const server = createServer();
  server.on('session', (session) => session.on('error', () => undefined));
  server.on('stream', (stream: ServerHttp2Stream) => {
    stream.on('error', () => undefined);
    answer(stream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const tls = { enabled: false, ca: '', cert: '', key: '', skipVerify: false, serverName: '' };
  const target = { name: 'leaf', host: '127.0.0.1', port, username: '', password: '', tls };
  const terms = { deadlineMs: 10_000, signal: new AbortController().signal };
  return gnoi.time(target, terms).then(
    () => expect.fail('the time was read'),
    (error: unknown) => error,
  );
}

test('a host that goes away while a call runs is a lost connection, after which the call may be repeated', async () => {
  const failure = await failureAt((stream) => {
    stream.respond(HEADERS);
    setTimeout(() => stream.session?.goaway(2, 0), 50);
  });
  expect(failure).toMatchObject({ code: 'BAD_GATEWAY', extra: { reason: 'RESET', retryable: true } });
});

test('a message that is too large is no lack of resources of the host', async () => {
  const failure = await failureAt((stream) => {
    stream.respond(HEADERS);
    stream.write(Buffer.from('<html>'));
  });
  expect(failure).toMatchObject({
    code: 'BAD_GATEWAY',
    message: expect.stringContaining('does not speak gRPC'),
    extra: { reason: 'INTERNAL', retryable: false },
  });
});
