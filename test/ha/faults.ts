import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '#db/embedded.ts';
import { type Ledger, prepareWorld, startLoad, verify } from './load.ts';
import { newServer, newStandby, urlOf } from './postgres.ts';
import { freePort, launch, startService, until } from './processes.ts';
import { assertNothingLost } from './verdict.ts';

type Print = (line: string) => void;

/** Reads how to reach the embedded database of a service, on its Unix socket. */
function embeddedIn(dataDir: string): Connection {
  const password = readFileSync(join(dataDir, 'postgres.password'), 'utf8').trim();
  const host = join(dataDir, 'postgres');
  return { host, port: 5432, database: 'postgres', username: 'switchyard_service', password };
}

/** Fills the disk of a running service with an embedded database, and frees it again: it must recover by itself. */
export async function fullDisk(folder: string, print: Print): Promise<void> {
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=600m,mode=755', 'tmpfs', disk]);
  try {
    const port = await freePort();
    const service = await startService(folder, port, { DATA_DIR: join(disk, 'data'), WORKERS: '4' });
    const world = await prepareWorld(service.url);
    const load = await startLoad(service.url, world, 60);
    await sleep(4000);
    fill(disk);
    // The database writes into room that it reserved before; then its files cannot grow.
    await until('a refused write', () => load.ledger.failures.length > 0, 90);
    const rejected = load.ledger.failures[0];
    print(`full: ${rejected?.reason.slice(0, 160)}`);
    await sleep(3000);
    rmSync(join(disk, 'filler'));
    const freed = performance.now();
    await until('a write', () => (load.ledger.acknowledged.at(-1) ?? 0) > freed, 60);
    print(
      `first acknowledged write ${(((load.ledger.acknowledged.at(-1) ?? 0) - freed) / 1000).toFixed(1)} s after there was room`,
    );
    await sleep(3000);
    await load.stop();
    await world.device.stop();
    const statuses = load.ledger.failures.map(({ reason }) => reason.slice(0, 3));
    if (statuses.includes('500')) throw new Error('a request was answered with 500');
    await assertNothingLost(embeddedIn(join(disk, 'data')), load.ledger, print);
    await service.stop();
  } finally {
    execFileSync('umount', ['-l', disk]);
  }
}

/** Takes all the room that is left, while others take some of it. */
function fill(disk: string): void {
  const file = openSync(join(disk, 'filler'), 'w');
  const block = Buffer.alloc(64 * 1024);
  try {
    for (;;) writeSync(file, block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
}

/** Starts a service whose folder cannot be written: it must end with a line that says so, and start once it can. */
export async function readOnlyDisk(folder: string, print: Print): Promise<void> {
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=400m,mode=755,ro', 'tmpfs', disk]);
  try {
    const port = await freePort();
    const rejected = launch(folder, port, { DATA_DIR: join(disk, 'data'), SECRET_KEY: '' });
    await until('its end', () => rejected.child.exitCode !== null, 60);
    const said = readFileSync(rejected.log, 'utf8').trim().split('\n');
    print(`read-only: status ${rejected.child.exitCode}: ${said.at(-1)?.slice(0, 200)}`);
    if (rejected.child.exitCode === 0 || !said.join('\n').includes('the file system is read-only'))
      throw new Error('it does not say that the folder is read-only');
    execFileSync('mount', ['-o', 'remount,rw', disk]);
    const service = await startService(folder, await freePort(), { DATA_DIR: join(disk, 'data') });
    print('writable again: it starts');
    await service.stop();
  } finally {
    execFileSync('umount', ['-l', disk]);
  }
}

/**
 * Makes the disk of a running service read-only, as the kernel does after an error of a disk, and writable again: writes must
 * be rejected as unavailable, and the service must recover by itself.
 */
export async function diskTurnsReadOnly(folder: string, print: Print): Promise<void> {
  const disk = join(folder, 'disk');
  const image = join(folder, 'image');
  mkdirSync(disk);
  // Without a journal, whose abort would need a repair.
  execFileSync('truncate', ['-s', '800M', image]);
  execFileSync('mkfs.ext4', ['-q', '-F', '-O', '^has_journal', image]);
  execFileSync('mount', ['-o', 'loop,errors=remount-ro', image, disk]);
  try {
    const device = execFileSync('findmnt', ['-n', '-o', 'SOURCE', disk]).toString().trim();
    const service = await startService(folder, await freePort(), {
      DATA_DIR: join(disk, 'data'),
      WORKERS: '4',
    });
    const world = await prepareWorld(service.url);
    const load = await startLoad(service.url, world, 60);
    await sleep(4000);
    writeFileSync(`/sys/fs/ext4/${device.replace('/dev/', '')}/trigger_fs_error`, 'try\n');
    await until('a refused write', () => load.ledger.failures.length > 0, 90);
    print(`read-only: ${load.ledger.failures[0]?.reason.slice(0, 160)}`);
    await sleep(5000);
    // The kernel keeps such a file system read-only until it is mounted again. The database ends when it cannot write.
    await until('nobody uses the disk', () => spawnSync('umount', [disk]).status === 0, 60);
    execFileSync('mount', ['-o', 'loop,errors=remount-ro', image, disk]);
    const repaired = performance.now();
    await until('a write', () => (load.ledger.acknowledged.at(-1) ?? 0) > repaired, 60);
    print(
      `first acknowledged write ${(((load.ledger.acknowledged.at(-1) ?? 0) - repaired) / 1000).toFixed(1)} s after it was writable`,
    );
    await sleep(3000);
    await load.stop();
    await world.device.stop();
    const said = readFileSync(service.log, 'utf8').split('\n');
    print(`logged: ${said.find((line) => /read-only file system/i.test(line))?.slice(0, 220)}`);
    const statuses = load.ledger.failures.map(({ reason }) => reason.slice(0, 3));
    print(`${load.ledger.failures.length} failed: ${[...new Set(statuses)].join(', ')}`);
    if (statuses.includes('500')) throw new Error('a request was answered with 500');
    await assertNothingLost(embeddedIn(join(disk, 'data')), load.ledger, print);
    await service.stop();
  } finally {
    execFileSync('umount', ['-l', disk]);
  }
}

const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';

/** Moves the clock of a service and its embedded database an hour forward, back, and back another hour, under load. */
export async function clock(folder: string, print: Print): Promise<void> {
  const stamp = join(folder, 'clock');
  writeFileSync(stamp, '+0\n');
  const port = await freePort();
  const dataDir = join(folder, `data-${port}`);
  const service = await startService(folder, port, {
    WORKERS: '4',
    LD_PRELOAD: FAKETIME,
    FAKETIME_TIMESTAMP_FILE: stamp,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  });
  const world = await prepareWorld(service.url);
  const ledgers: Ledger[] = [];
  const hour = async () => {
    const answer = await fetch(`${service.url}/health/live`);
    await answer.arrayBuffer();
    return Date.parse(answer.headers.get('date') ?? '');
  };
  for (const offset of ['+0', '+1h', '+0', '-1h', '+0']) {
    writeFileSync(stamp, `${offset}\n`);
    const load = await startLoad(service.url, world, 60);
    await sleep(6000);
    await load.stop();
    ledgers.push(load.ledger);
    const shift = Math.round(((await hour()) - Date.now()) / 60_000);
    print(
      `clock ${offset} (the service is ${shift} minutes off): ${load.ledger.written.size} writes, ${load.ledger.jobs.size} jobs, ${load.ledger.failures.length} failed`,
    );
    const [reason] = load.ledger.failures;
    if (reason) print(`  ${reason.kind}: ${reason.reason}`);
  }
  await world.device.stop();
  for (const ledger of ledgers) {
    const verdict = await verify(embeddedIn(dataDir), ledger);
    const wrong = Object.values(verdict).flat();
    if (wrong.length > 0) throw new Error(wrong.slice(0, 5).join('\n'));
    if (ledger.failures.length > 0) throw new Error('requests failed');
  }
  print('0 lost, 0 wrong');
  await service.stop();
}

/** Starts a service on a standby: it must say that it waits and why, and start by itself once the standby is promoted. */
export async function inRecovery(folder: string, print: Print): Promise<void> {
  const primary = await newServer(join(folder, 'primary'), await freePort());
  const standby = await newStandby(primary, join(folder, 'standby'), await freePort());
  const service = launch(folder, await freePort(), { DATABASE_URL: urlOf(standby) });
  await until(
    'a line',
    () => /waiting for the database.*(recovery|read-only)/.test(readFileSync(service.log, 'utf8')),
    60,
  );
  const lines = readFileSync(service.log, 'utf8').split('\n');
  print(`in recovery: ${lines.find((line) => line.includes('recovery') || line.includes('read-only'))}`);
  await primary.stop('SIGKILL');
  standby.promote();
  const promoted = performance.now();
  await until('the service', async () => {
    if (service.child.exitCode !== null)
      throw new Error(`it ended: ${readFileSync(service.log, 'utf8').slice(-500)}`);
    return fetch(`${service.url}/health/ready`).then(
      (answer) => answer.status === 200,
      () => false,
    );
  });
  print(`ready ${((performance.now() - promoted) / 1000).toFixed(1)} s after the promotion`);
  await service.stop();
  await standby.stop('SIGINT');
}
