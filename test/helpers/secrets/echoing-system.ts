import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

/**
 * Opens a system that rejects every request and repeats all of it in its answer: address, headers and body, as they came
 * and with the account of `Authorization: Basic` decoded. It is closed after the test file.
 *
 * @returns its port, and everything that it received
 */
export async function openEchoingSystem() {
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    const basic = /^Basic (.*)/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const account = Buffer.from(basic, 'base64').toString('utf8');
    const all = [request.url, account, ...request.rawHeaders, body].join(' ');
    received.push(all);
    const answer = { error: all, message: all, errors: [all], detail: { url: request.url, account, body } };
    response
      .writeHead(400, { 'Content-Type': 'application/json', 'X-Echo': request.rawHeaders.join(' ') })
      .end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, received };
}
