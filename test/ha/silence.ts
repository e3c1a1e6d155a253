import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareWorld, startLoad } from './load.ts';
import { newServer, urlOf } from './postgres.ts';
import { freePort, isReady, type Service, startBalancer, startService, until } from './processes.ts';
import { assertNothingLost } from './verdict.ts';

/** The address by which one of the processes reaches the database. */
const CUT = '127.0.0.9';
/** Longest time after which no request fails, and after which the process is back, in milliseconds. */
const MOST_MS = 20_000;

/** Lets packets from and to an address vanish, or pass again. Needs root. */
function drop(how: '-A' | '-D'): void {
  for (const side of ['-s', '-d'])
    execFileSync('iptables', [how, 'INPUT', '-i', 'lo', side, CUT, '-j', 'DROP']);
}

/**
 * Cuts one of three processes off its database under load, so that packets vanish and nothing is closed, as when a machine or a
 * switch is gone: its work continues elsewhere, nothing is lost, and it returns by itself.
 */
export async function silence(folder: string, print: (line: string) => void): Promise<void> {
  const server = await newServer(`${folder}/postgres`, await freePort(), [
    `listen_addresses = '127.0.0.1,${CUT}'`,
  ]);
  const urls = [urlOf({ address: `${CUT}:${server.port}` }), urlOf(server), urlOf(server)];
  const services: Service[] = [];
  for (const DATABASE_URL of urls)
    services.push(await startService(folder, await freePort(), { DATABASE_URL, WORKERS: '4' }));
  const balancer = await startBalancer(
    folder,
    services.map(({ port }) => port),
  );
  const world = await prepareWorld(balancer.url);
  const load = await startLoad(balancer.url, world);
  const cut = services[0]?.url ?? '';
  let from = 0;
  let back = 0;
  try {
    await sleep(5000);
    drop('-A');
    from = performance.now();
    try {
      const ms = await until('the process is not ready', async () => !(await isReady(cut)));
      print(`not ready ${(ms / 1000).toFixed(1)} s after its packets began to vanish`);
      await sleep(25_000);
    } finally {
      drop('-D');
    }
    back = await until('the process is ready', () => isReady(cut));
    print(`ready ${(back / 1000).toFixed(1)} s after its packets arrived again`);
    await sleep(5000);
  } finally {
    await load.stop();
    await world.device.stop();
  }
  const last = load.ledger.failures.at(-1);
  if (last) print(`last failed request ${((last.at - from) / 1000).toFixed(1)} s after the cut`);
  await assertNothingLost(urlOf(server), load.ledger, print);
  if (last && last.at - from > MOST_MS) throw new Error('requests failed for too long');
  if (back > MOST_MS) throw new Error('the process was not back in time');
  const codes = await Promise.all(services.map((service) => service.stop()));
  if (codes.some((code) => code !== 0)) throw new Error(`processes ended with ${codes.join(', ')}`);
  await server.stop('SIGINT');
}
