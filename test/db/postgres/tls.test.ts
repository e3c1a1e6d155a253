import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { checkServerIdentity, createSecureContext, type PeerCertificate, TLSSocket } from 'node:tls';
import { sql } from 'drizzle-orm';
import { afterAll, expect, test } from 'vitest';
import { isUnavailable, openDatabase, rows } from '#db/client.ts';
import { migrate } from '#db/migrate.ts';
import { openEnginePool } from '#server/durable/pool.ts';
import { makeFolder } from '../../helpers/folder.ts';
import { openTestDatabase } from '../../helpers/postgres.ts';
import { openAuthority } from '../../lab/certificates.ts';

const { connection } = await openTestDatabase();
if (typeof connection === 'string') throw new Error('the server of the tests listens on a socket');
const { host, port, username, password, database } = connection;
const folder = await makeFolder();
const authority = openAuthority('Private authority');
const files = {
  ca: join(folder, 'ca ü.pem'),
  cert: join(folder, 'client.pem'),
  key: join(folder, 'client.key'),
};
const client = authority.issue();
writeFileSync(files.ca, authority.ca);
writeFileSync(files.cert, client.cert);
writeFileSync(files.key, client.key);

const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

/**
 * Accepts TLS in the protocol of PostgreSQL in front of the server of the tests, from clients with a certificate of the authority.
 *
 * @param names that its certificate is for
 * @param at address to listen on
 */
async function openTls(names: readonly string[], at: string): Promise<number> {
  const secureContext = createSecureContext({ ...authority.issue({ names }), ca: authority.ca });
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    sockets.add(near);
    near.on('error', () => undefined);
    // The request for TLS: its length and a number.
    near.once('data', () => {
      near.write('S');
      const secure = new TLSSocket(near, {
        isServer: true,
        secureContext,
        requestCert: true,
        rejectUnauthorized: true,
      });
      const far = connect(`${host}/.s.PGSQL.${port}`);
      secure.on('error', () => far.destroy()).on('close', () => far.destroy());
      far.on('error', () => secure.destroy()).on('close', () => secure.destroy());
      secure.pipe(far).pipe(secure);
    });
  }).listen(0, at);
  await once(server, 'listening');
  closing.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

const urlOf = (servers: string, query: string) =>
  `postgres://${username}:${password}@${servers}/${database}?${query}`;
const WITH_FILES = `sslrootcert=${encodeURIComponent(files.ca)}&sslcert=${files.cert}&sslkey=${files.key}`;

/** Connects with each of the two drivers. @returns the error of each; null when it answered */
async function tried(url: string): Promise<(string | null)[]> {
  const { db, close } = openDatabase({ connection: url, max: 1 });
  const pool = openEnginePool({ connection: url, max: 1, hungMs: 5000, failed: () => undefined });
  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: Error) => error.message,
    );
  const answers = await Promise.all([outcome(rows(db, sql`select 1`)), outcome(pool.query('select 1'))]);
  await Promise.all([close(), pool.end()]);
  return answers;
}

test('a private authority and a certificate of the client are those of the URL, for both drivers', async () => {
  const right = `localhost:${await openTls(['localhost'], '127.0.0.1')}`;
  const other = `localhost:${await openTls(['db.example'], '127.0.0.1')}`;
  for (const mode of ['verify-full', 'verify-ca', 'require'])
    expect(await tried(urlOf(right, `sslmode=${mode}&${WITH_FILES}`)), mode).toEqual([null, null]);
  // `require` alone checks nothing, as with libpq.
  expect(await tried(urlOf(right, `sslmode=require&sslcert=${files.cert}&sslkey=${files.key}`))).toEqual([
    null,
    null,
  ]);
  expect(await tried(urlOf(other, `sslmode=verify-ca&${WITH_FILES}`))).toEqual([null, null]);
  const wrongName = expect.stringContaining("does not match certificate's altnames");
  expect(await tried(urlOf(other, `sslmode=verify-full&${WITH_FILES}`))).toEqual([wrongName, wrongName]);
  // Several servers, of which each is checked for its own name.
  expect(await tried(urlOf(`127.0.0.1:1,${right}`, `sslmode=verify-full&${WITH_FILES}`))).toEqual([
    null,
    null,
  ]);
});

/** Node 22.23 finds no certificate valid for an address of IPv6: it reads the address as a name. */
const rejectsIpv6 =
  checkServerIdentity('::1', {
    subjectaltname: 'IP Address:0:0:0:0:0:0:0:1',
    subject: { CN: '::1' },
  } as PeerCertificate) !== undefined;

test.skipIf(rejectsIpv6)(
  'addresses of IPv6 are connected to, and their certificate is checked for them',
  async () => {
    const at = `[::1]:${await openTls(['::1'], '::1')}`;
    expect(await tried(urlOf(at, `sslmode=verify-full&${WITH_FILES}`))).toEqual([null, null]);
  },
);

test('a start with an authority that is not trusted says at once what to set, and a file that is missing is named', async () => {
  const at = `localhost:${await openTls(['localhost'], '127.0.0.1')}`;
  const untrusted = urlOf(at, `sslmode=verify-full&sslcert=${files.cert}&sslkey=${files.key}`);
  await expect(migrate(untrusted)).rejects.toThrow(
    /^The database at localhost:\d+ rejects this process: .*: name the file of the authority that signed its certificate \(sslrootcert=…\)$/,
  );
  const missing = urlOf(at, 'sslmode=verify-full&sslrootcert=/nowhere/ca.pem');
  await expect(migrate(missing)).rejects.toThrow(/rejects this process: sslrootcert cannot be read: ENOENT/);
  // While a process runs, that is a database that cannot be reached.
  const { db, close } = openDatabase({ connection: missing, max: 1 });
  closing.push(close);
  expect(isUnavailable(await rows(db, sql`select 1`).catch((error: unknown) => error))).toBe(true);
});
