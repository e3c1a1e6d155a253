import { setTimeout as sleep } from 'node:timers/promises';
import { prepareWorld, startLoad } from './load.ts';
import { newServer, urlOf } from './postgres.ts';
import { freePort, type Service, startBalancer, startService } from './processes.ts';
import { versionBefore } from './upgrade.ts';
import { assertNothingLost } from './verdict.ts';
import { startWaitingJobs } from './waiting-jobs.ts';

/** Processes behind the balancer. */
const PROCESSES = 3;

type Print = (line: string) => void;

/** Restarts three processes behind HAProxy in sequence, under load: no request may fail and no job may be lost. */
export const rolling = (folder: string, print: Print): Promise<void> => restarted(folder, print);

/** Does the same to processes of the version before, which start again as this one, with jobs that wait all the while. */
export async function rollingUpgrade(folder: string, print: Print): Promise<void> {
  const { checkout, commit, remove } = versionBefore(folder);
  try {
    print(`version before: ${commit}`);
    await restarted(folder, print, checkout);
  } finally {
    remove();
  }
}

/** @param before checkout of what is restarted; absent: this one */
async function restarted(folder: string, print: Print, before?: string): Promise<void> {
  const server = await newServer(`${folder}/postgres`, await freePort());
  const env = { DATABASE_URL: urlOf(server), DRAIN_SECONDS: '3', WORKERS: '4' };
  const ports: number[] = [];
  for (let at = 0; at < PROCESSES; at += 1) ports.push(await freePort());
  const services: Service[] = [];
  for (const port of ports) services.push(await startService(folder, port, env, before));
  const balancer = await startBalancer(folder, ports);
  const world = await prepareWorld(balancer.url);
  const waiting = await startWaitingJobs(balancer.url);
  const load = await startLoad(balancer.url, world);
  try {
    await sleep(3000);
    for (const [at, port] of ports.entries()) {
      const begun = performance.now();
      const status = await services[at]?.stop();
      if (status !== 0) throw new Error(`a process ended with ${status}`);
      const stopped = performance.now();
      services[at] = await startService(folder, port, env);
      const ready = performance.now();
      print(
        `process ${at + 1}: stopped in ${((stopped - begun) / 1000).toFixed(1)} s, ready ${((ready - stopped) / 1000).toFixed(1)} s later`,
      );
      await sleep(2000);
    }
  } finally {
    await load.stop();
    await world.device.stop();
  }
  await assertNothingLost(urlOf(server), load.ledger, print, { failures: 0 });
  print(`jobs that waited meanwhile: ${await waiting.endedAs()}`);
  await Promise.all(services.map((service) => service.stop()));
  await server.stop('SIGINT');
}
