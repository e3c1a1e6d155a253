import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareWorld, startLoad } from './load.ts';
import { ask, newServer, postgresAccount, urlOf } from './postgres.ts';
import { freePort, type Service, startBalancer, startProcess, startService, until } from './processes.ts';
import { assertNothingLost } from './verdict.ts';

/** Server connections that PgBouncer may open: fewer than the processes would open without it. */
const POOL = 12;

/** Runs three processes through PgBouncer in transaction mode, with the settings of docs/high-availability.md. */
export async function pooling(folder: string, print: (line: string) => void): Promise<void> {
  const server = await newServer(join(folder, 'postgres'), await freePort());
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  const url = new URL(urlOf(server));
  const [{ secret } = { secret: '' }] = await ask<{ secret: string }>(
    urlOf(server),
    `select rolpassword as secret from pg_authid where rolname = '${url.username}'`,
  );
  await ask(urlOf(server), `alter role ${url.username} set statement_timeout = '120s'`);
  writeFileSync(join(folder, 'users.txt'), `"${url.username}" "${decodeURIComponent(url.password)}"\n`);
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(folder, 'users.txt')}
pool_mode = transaction
default_pool_size = ${POOL}
max_client_conn = 500
`,
  );
  if (secret === '') throw new Error('the role has no password');
  startProcess('pgbouncer', [file], { ...postgresAccount(), output: join('/tmp', `pgbouncer-${port}.log`) });
  const pooler = urlOf({ address: `127.0.0.1:${port}` });
  await until('PgBouncer', () =>
    ask(pooler, 'select 1').then(
      () => true,
      () => false,
    ),
  );
  const env = { DATABASE_URL: urlOf(server), DATABASE_POOLER_URL: pooler, WORKERS: '4' };
  const services: Service[] = [];
  for (let at = 0; at < 3; at += 1) services.push(await startService(folder, await freePort(), env));
  const balancer = await startBalancer(
    folder,
    services.map((service) => service.port),
  );
  const world = await prepareWorld(balancer.url);
  const load = await startLoad(balancer.url, world);
  try {
    await sleep(15_000);
  } finally {
    await load.stop();
    await world.device.stop();
  }
  const [used] = await ask<{ pooled: string }>(
    urlOf(server),
    `select count(*) as pooled from pg_stat_activity where client_port is not null and application_name = 'switchyard'`,
  );
  print(`connections named switchyard at the end: ${used?.pooled}, the pool may have ${POOL}`);
  await assertNothingLost(urlOf(server), load.ledger, print, { failures: 0 });
  await Promise.all(services.map((service) => service.stop()));
  await server.stop('SIGINT');
}
