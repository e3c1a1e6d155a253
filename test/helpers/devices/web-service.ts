import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

/** A request that a web service received. */
export type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: string };

/** A web service on loopback that answers with the given function and records its requests. */
export async function openWebService(answer: (seen: Seen, response: ServerResponse) => void) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const requested = { method, url, headers, body: Buffer.concat(parts).toString('utf8') };
      seen.push(requested);
      answer(requested, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { seen, port, url: `http://127.0.0.1:${port}` };
}
