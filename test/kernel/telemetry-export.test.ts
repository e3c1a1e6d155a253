import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { openSender } from '#server/kernel/observability/otlp/exporter.ts';
import { exportTraces } from '#server/kernel/observability/otlp/traces.ts';
import { inSpan } from '#server/kernel/observability/trace.ts';
import { until } from '../helpers/processes/processes.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A receiver that answers as the listener does, and what a process exports to it. */
async function receiving(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  return { endpoint, headers: {}, serviceName: 'trial', attributes: {}, sampled: 1, metricsMs: 60_000 };
}

const log = { warn: () => undefined };

test('a receiver whose answer does not end is not read to the end', async () => {
  const most = 64 * 1024 * 1024;
  const piece = Buffer.alloc(256 * 1024);
  let sent = 0;
  const flood = (response: ServerResponse) => {
    while (sent < most && !response.destroyed) {
      sent += piece.length;
      if (!response.write(piece)) return void response.once('drain', () => flood(response));
    }
  };
  const settings = await receiving((request, response) => {
    request.resume();
    response.writeHead(200);
    flood(response);
  });
  await openSender(settings, '/v1/traces', log, new AbortController().signal)({});
  // What the sockets hold is sent as well.
  expect(sent).toBeLessThan(most / 2);
});

test('a receiver that never answers does not hold up the end of a process', async () => {
  let requests = 0;
  const settings = await receiving((request) => {
    request.resume();
    requests += 1;
  });
  const end = exportTraces(settings, log);
  const work = async (count: number) => {
    for (let at = 0; at < count; at += 1) await inSpan('work', {}, async () => undefined);
  };
  await work(600);
  await until('the first export', () => requests > 0 || undefined);
  await work(3000);
  const began = performance.now();
  await end();
  // One export without an answer alone would take ten seconds.
  expect(performance.now() - began).toBeLessThan(8000);
});

test('a receiver that asks to wait is asked again only after that time', async () => {
  const times: number[] = [];
  const settings = await receiving((request, response) => {
    request.resume();
    times.push(performance.now());
    if (times.length === 1) response.writeHead(429, { 'Retry-After': '3' });
    response.end();
  });
  await openSender(settings, '/v1/traces', log, new AbortController().signal)({});
  const [first = 0, second = 0] = times;
  expect(second - first).toBeGreaterThan(2900);
});
