import { once } from 'node:events';
import { createServer as createHttp, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';
import { readLiveness, readReadiness } from '#server/domains/health/probes.service.ts';
import type { Config } from '#server/kernel/config.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { followTls, readTls } from '../tls.ts';

/**
 * Answers `GET /health/live` and `GET /health/ready` of a worker process, if PORT is set (decision 0120). It serves nothing
 * else, so that such a process needs no sign-in.
 *
 * @returns its address, and the function that closes it; null when the port is taken, which does not stop the work
 */
export async function openProbes({
  config,
  db,
  log,
  isStopping,
}: {
  config: Pick<Config, 'host' | 'port' | 'tls'>;
  db: Database;
  log: Pick<Logger, 'info' | 'warn'>;
  isStopping: () => boolean;
}): Promise<{ url: string; close: () => Promise<void> } | null> {
  const pair = config.tls && (await readTls(config.tls));
  const server = pair ? createHttps(pair) : createHttp();
  server.on('request', (request, response) => {
    const path = (request.url ?? '').split('?')[0];
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead && path === '/health/live') return void respond(response, readLiveness(db));
    if (isRead && path === '/health/ready') {
      return void respond(response, readReadiness(db, { events: { isOpen: () => !isStopping() } }));
    }
    return write(response, 404, {
      code: 'NOT_FOUND',
      message: 'A worker answers only /health/live and /health/ready',
    });
  });
  server.listen(config.port, config.host);
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    log.warn(
      { port: config.port },
      'PORT is in use: this worker answers no probes; give it a PORT of its own',
    );
    return null;
  }
  const stopTls =
    config.tls && pair && 'setSecureContext' in server && followTls(config.tls, pair, server, log);
  const { port } = server.address() as AddressInfo;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  const close = async () => {
    if (stopTls) await stopTls();
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { url: `${pair ? 'https' : 'http'}://${host}:${port}`, close };
}

async function respond(response: ServerResponse, probe: Promise<unknown>): Promise<void> {
  try {
    write(response, 200, await probe);
  } catch (error) {
    const { extra, message } =
      error instanceof ServiceError ? error : { extra: {}, message: 'Internal error' };
    write(response, 503, { ...extra, code: 'SERVICE_UNAVAILABLE', message });
  }
}

function write(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
  });
  response.end(JSON.stringify(body));
}
