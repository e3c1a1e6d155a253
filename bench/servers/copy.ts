import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openPeerDatabase, printPort } from './peer.ts';

/** The peer: COPY, from memory, of the rows of an import, into tables of the same shape. Responds with its time in ms. */
const sql = await openPeerDatabase(1);
await sql`create table if not exists copied_texts (like raw_configs including all)`;
await sql`create table if not exists copied_backups (like backups including all)`;

const escaped = (text: string) =>
  text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r');

async function copy(backups: { rawConfig: string }[]): Promise<number> {
  const rows = backups.map(({ rawConfig, ...item }) => {
    const id = randomBytes(12).toString('hex');
    const sha256 = createHash('sha256').update(rawConfig).digest('hex');
    const doc = { ...item, id, _id: id, sha256, size: rawConfig.length, gbac: { read: [], write: [] } };
    return { text: `${sha256}\t${escaped(rawConfig)}\n`, doc: `${id}\t${escaped(JSON.stringify(doc))}\n` };
  });
  const started = performance.now();
  await sql.begin(async (tx) => {
    const texts = await tx`copy copied_texts (sha256, content) from stdin`.writable();
    await pipeline(Readable.from(rows.map(({ text }) => text)), texts);
    const documents = await tx`copy copied_backups (id, doc) from stdin`.writable();
    await pipeline(Readable.from(rows.map(({ doc }) => doc)), documents);
  });
  return performance.now() - started;
}

const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const { backups } = JSON.parse(Buffer.concat(parts).toString('utf8'));
  response.end(String(await copy(backups)));
});
server.listen(0, '127.0.0.1', () => printPort((server.address() as AddressInfo).port));
