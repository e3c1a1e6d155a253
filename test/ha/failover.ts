import { setTimeout as sleep } from 'node:timers/promises';
import { prepareWorld, startLoad } from './load.ts';
import { newServer, newStandby, urlOf } from './postgres.ts';
import { freePort, type Service, startBalancer, startService, until } from './processes.ts';
import { assertNothingLost } from './verdict.ts';

/** Longest time from the promotion of the standby to the first acknowledged write, in milliseconds. */
const MOST_MS = 10_000;

/** Loses the primary with a synchronous standby under load, and promotes the standby: no acknowledged write may be lost. */
export async function failover(folder: string, print: (line: string) => void): Promise<void> {
  const primary = await newServer(`${folder}/primary`, await freePort());
  const standby = await newStandby(primary, `${folder}/standby`, await freePort());
  const DATABASE_URL = `${urlOf(primary, standby)}?target_session_attrs=read-write`;
  const services: Service[] = [];
  for (let at = 0; at < 3; at += 1)
    services.push(await startService(folder, await freePort(), { DATABASE_URL, WORKERS: '4' }));
  const balancer = await startBalancer(
    folder,
    services.map(({ port }) => port),
  );
  const world = await prepareWorld(balancer.url);
  const load = await startLoad(balancer.url, world);
  const { ledger } = load;
  let promoted = 0;
  try {
    await sleep(5000);
    await primary.stop('SIGKILL');
    const lost = performance.now();
    await sleep(1500);
    standby.promote();
    promoted = performance.now();
    await until('a write', () => (ledger.acknowledged.at(-1) ?? 0) > promoted, 60);
    const first = ledger.acknowledged.find((at) => at > promoted) ?? 0;
    print(
      `first acknowledged write ${((first - promoted) / 1000).toFixed(1)} s after the promotion, ${((first - lost) / 1000).toFixed(1)} s after the loss`,
    );
    if (first - promoted > MOST_MS) throw new Error('the service was not back in time');
    await sleep(8000);
  } finally {
    await load.stop();
    await world.device.stop();
  }
  const settled = promoted + MOST_MS;
  const late = ledger.failures.filter(({ at }) => at > settled);
  const last = ledger.failures.at(-1);
  if (last) print(`last failed request ${((last.at - promoted) / 1000).toFixed(1)} s after the promotion`);
  await assertNothingLost(urlOf(standby), ledger, print);
  if (late.length > 0) throw new Error(`${late.length} requests failed more than 10 s after the promotion`);
  const codes = await Promise.all(services.map((service) => service.stop()));
  if (codes.some((code) => code !== 0)) throw new Error(`processes ended with ${codes.join(', ')}`);
  await standby.stop('SIGINT');
}
