/**
 * Runs where `two.example` has a first address that is slow and a second one that is dead: sends one request to it, and prints its
 * status, or the code of its error.
 */
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkedLookup } from '#server/southbound/lookup.ts';

const server = createServer((_, answer) => answer.end()).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
const sent = get({ host: 'two.example', port, lookup: checkedLookup(true), timeout: 10_000 });
sent.on('timeout', () => sent.destroy(Object.assign(new Error(), { code: 'timeout' })));
const result = await new Promise<string>((resolve) => {
  sent.on('response', ({ statusCode }) => resolve(String(statusCode)));
  sent.on('error', ({ code }: NodeJS.ErrnoException) => resolve(String(code)));
});
process.stdout.write(result);
process.exit();
