import { once } from 'node:events';
import { createServer, type ServerHttp2Session } from 'node:http2';
import { type AddressInfo, isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { traceRequestOf } from '#server/domains/network/gateway/trace-request.ts';
import { openGnoi } from '#server/southbound/gnoi/gnoi.ts';

/** Pings that a server of gRPC accepts: one in five minutes; a third that comes sooner ends the connection (gRPC, A8). */
const FIVE_MINUTES = 300_000;

const TARGET = {
  name: 'leaf',
  host: '127.0.0.1',
  username: '',
  password: '',
  tls: { enabled: false, serverName: '', ca: '', cert: '', key: '', skipVerify: false },
};
const REQUEST = traceRequestOf({ host: 'leaf', destination: '198.51.100.9' }, isIP);

test('a trace over silent hops is not ended for too many pings', async () => {
  let pings = 0;
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const end = new AbortController();
  // The network runs as usual: only the pauses of gRPC are passed over.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const terms = { deadlineMs: 2 * FIVE_MINUTES, signal: end.signal };
    const gnoi = openGnoi({ allowPrivateTargets: true });
    const outcome = gnoi.traceroute({ ...TARGET, port }, REQUEST, terms).catch((error: unknown) => error);
    const [session] = (await once(server, 'session')) as [ServerHttp2Session];
    session.on('ping', () => {
      pings += 1;
    });
    await once(server, 'stream');
    await vi.advanceTimersByTimeAsync(FIVE_MINUTES);
    await sleep(100);
    expect(pings).toBe(0);
    // Shorter than gRPC waits for the answer to a ping.
    await vi.advanceTimersByTimeAsync(15_000);
    await vi.waitUntil(() => pings > 0);
    end.abort();
    expect(await outcome).toMatchObject({ extra: { reason: 'CANCELED' } });
  } finally {
    vi.useRealTimers();
    end.abort();
    server.close();
  }
});
