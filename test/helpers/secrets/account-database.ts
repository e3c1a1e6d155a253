import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll } from 'vitest';
import { databaseAccount } from '#db/embedded/account.ts';
import { findBinaries } from '#db/embedded/binaries.ts';
import { ensureCluster, SUPERUSER } from '#db/embedded/cluster.ts';
import { until } from '../processes/processes.ts';

/**
 * A PostgreSQL server of a test file's own, in which an engine of OpenBao makes and removes roles: the one of all tests lets
 * nobody create a role.
 */
export async function openAccountDatabase() {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-accounts-'));
  chmodSync(folder, 0o711);
  const sockets = join(folder, 'sockets');
  const cluster = join(folder, 'data');
  mkdirSync(sockets);
  const account = await databaseAccount(cluster);
  if (account) for (const place of [folder, sockets]) chownSync(place, account.uid, account.gid);
  const copyTo = async () => join(folder, 'programs');
  const binaries = await findBinaries({ account, copyTo, major: undefined });
  await ensureCluster({ cluster, binaries, account, durable: false });
  writeFileSync(join(cluster, 'pg_hba.conf'), `local all ${SUPERUSER} trust\nlocal all all scram-sha-256\n`);
  const child = spawn(
    binaries.postgres,
    ['-D', cluster, '-k', sockets, '-c', 'listen_addresses=', '-c', 'fsync=off'],
    { stdio: 'ignore', cwd: '/', ...account },
  );
  const connect = (username: string, password = '') =>
    postgres({ host: sockets, port: 5432, database: 'postgres', username, password, max: 1 });
  const admin = connect(SUPERUSER);
  afterAll(async () => {
    await admin.end({ timeout: 1 });
    child.kill('SIGINT');
    if (child.exitCode === null) await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });
  await until('the server of accounts', () =>
    admin`select 1`.then(
      () => true,
      () => undefined,
    ),
  );
  return {
    /** As the engine needs it, with the superuser. */
    connectionUrl: `postgresql://{{username}}:{{password}}@/postgres?host=${sockets}`,
    superuser: SUPERUSER,
    /** Returns the names of the roles that the engine made and has not removed. */
    async made(): Promise<string[]> {
      const found = await admin<{ rolname: string }[]>`select rolname from pg_roles where rolname like 'v-%'`;
      return found.map(({ rolname }) => rolname);
    },
    /** Returns whether somebody can sign in with a name and a password. */
    async signsIn(username: string, password: string): Promise<boolean> {
      const client = connect(username, password);
      try {
        await client`select 1`;
        return true;
      } catch {
        return false;
      } finally {
        await client.end({ timeout: 1 });
      }
    },
  };
}
