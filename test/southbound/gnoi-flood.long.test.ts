import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { openGnoi } from '#server/southbound/gnoi/gnoi.ts';
import { cpuTime } from '../helpers/cpu-time.ts';

/** An HTTP/2 server that sends empty gRPC messages of five bytes without end, in a thread of its own. */
const SERVER = `
  const { createServer } = require('node:http2');
  const { parentPort } = require('node:worker_threads');
  const server = createServer();
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
    const messages = Buffer.alloc(60_000);
    const send = () => { while (!stream.destroyed && stream.write(messages)); };
    stream.on('drain', send);
    send();
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

test('a host that floods with messages does not block other work', async () => {
  const thread = new Worker(SERVER, { eval: true });
  const [port] = await once(thread, 'message');
  const gnoi = openGnoi({ allowPrivateTargets: true });
  const tls = { enabled: false, ca: '', cert: '', key: '', skipVerify: false, serverName: '' };
  const trace = (name: string) =>
    gnoi.traceroute(
      { name, host: '127.0.0.1', port, username: '', password: '', tls },
      {
        destination: '192.0.2.9',
        source: '',
        initial_ttl: 0,
        max_ttl: 0,
        wait: '0',
        do_not_fragment: false,
        do_not_resolve: false,
        l3protocol: 'UNSPECIFIED',
        l4protocol: 'ICMP',
        do_not_lookup_asn: false,
      } as never,
      { deadlineMs: 20_000, signal: new AbortController().signal },
    );
  // What is loaded and compiled once is not measured.
  await trace('first');
  let longest = 0;
  let last = { clock: performance.now(), cpu: cpuTime() };
  const watch = setInterval(() => {
    const now = { clock: performance.now(), cpu: cpuTime() };
    longest = Math.max(longest, Math.min(now.clock - last.clock, now.cpu - last.cpu));
    last = now;
  }, 5);
  const traces = await Promise.all(Array.from({ length: 12 }, (_, index) => trace(`host-${index}`)));
  clearInterval(watch);
  expect(traces.map(({ result }) => result.truncated)).toEqual(traces.map(() => true));
  expect(longest).toBeLessThan(800);
  await thread.terminate();
}, 60_000);
