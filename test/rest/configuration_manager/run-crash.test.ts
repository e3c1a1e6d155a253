import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { createBatch } from '#server/engines/compliance/batches.service.ts';
import { checkChunk } from '#server/engines/compliance/chunk.service.ts';
import type { Target } from '#server/engines/compliance/places.ts';
import { openFleet } from '../../helpers/fleet.ts';
import { until } from '../../helpers/processes.ts';

const SCRIPT = fileURLToPath(new URL('../../helpers/compliance-process.ts', import.meta.url));
const fleet = await openFleet(false);
const { backUp, connection, count, db, done, headers, start, status, tree } = fleet;
const children = new Set<ChildProcess>();

afterAll(async () => {
  for (const child of children) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
});

async function startProcess(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', SCRIPT, JSON.stringify(connection)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  if (!child.stdout) throw new Error('no standard output');
  await once(child.stdout, 'data');
  return child;
}

/** A tree whose node has this many devices, each with a configuration of its own. */
async function fleetOf(size: number, prefix: string) {
  const made = await tree('hostname {/.+/}\n<e/>ntp server 192.0.2.9\n');
  const names = Array.from({ length: size }, (_, n) => `${prefix}-${n}`);
  await made.place('base', names);
  const filler = Array.from({ length: 200 }, (_, n) => `snmp-server host 192.0.2.${n} public\n`).join('');
  for (let at = 0; at < size; at += 1000) {
    const texts = names.slice(at, at + 1000).map((name, n) => {
      const ntp = n % 2 === 0 ? 'ntp server 192.0.2.9\n' : '';
      return [name, `hostname ${name}\n${filler}${ntp}`];
    });
    await backUp(Object.fromEntries(texts));
  }
  return { ...made, names };
}

test('a batch whose process is killed is finished by another, with one report a device', async () => {
  const { at, names } = await fleetOf(5000, 'killed');
  const doomed = await startProcess();
  const batchId = await start(at('base'));
  const reached = await until(
    'some reports',
    async () => {
      const told = await status(batchId);
      return told.done > 0 ? told : undefined;
    },
    40,
  );
  doomed.kill('SIGKILL');
  await once(doomed, 'exit');
  expect(reached.done).toBeLessThan(names.length);
  expect(await status(batchId)).toMatchObject({ status: 'running' });
  const heir = await startProcess();
  const ended = await fleet.ended(batchId, 60);
  expect(ended).toMatchObject({ status: 'complete', total: names.length, done: names.length, errors: 0 });
  const found = await headers(batchId);
  expect(found.map(({ deviceName }) => deviceName).sort()).toEqual(names.toSorted());
  expect(found.filter(({ totals }) => totals.errors === 1)).toHaveLength(names.length / 2);
  heir.kill('SIGTERM');
  await once(heir, 'exit');
}, 150_000);

test('a batch that is canceled before anybody works on it is never begun', async () => {
  const { at, place } = await tree('hostname x\n');
  await place('base', ['canceled-1']);
  await backUp({ 'canceled-1': 'hostname x\n' });
  const batchId = await start(at('base'));
  expect(await done('POST', `/compliance_reports/batch/${batchId}/cancel`)).toEqual({
    status: 'success',
    message: `compliance batch ${batchId} canceled`,
  });
  const worker = await startProcess();
  const next = await start(at('base'));
  await fleet.ended(next);
  expect(await status(batchId)).toMatchObject({ status: 'canceled', total: 1, done: 0 });
  expect(await headers(batchId)).toEqual([]);
  worker.kill('SIGTERM');
  await once(worker, 'exit');
}, 60_000);

test('a batch that is canceled under way begins nothing more', async () => {
  const { at, names } = await fleetOf(5000, 'stopped');
  const worker = await startProcess();
  const batchId = await start(at('base'));
  await until('some reports', async () => ((await status(batchId)).done > 0 ? true : undefined), 40);
  await done('POST', `/compliance_reports/batch/${batchId}/cancel`);
  const next = await start({ ...at('base'), devices: ['stopped-1'] });
  await fleet.ended(next);
  const told = await status(batchId);
  expect(told.status).toBe('canceled');
  expect(told.done).toBeLessThan(names.length);
  expect(await count(sql`from compliance_report where batch_id = ${batchId}`)).toBe(told.done);
  worker.kill('SIGTERM');
  await once(worker, 'exit');
}, 90_000);

test('what a batch finds depends neither on how it is cut into pieces nor on the order of its devices', async () => {
  const { at, treeId } = await tree('hostname {{ device.name }}\n{d/}ip http server\n', {
    device: { name: '' },
  });
  const names = Array.from({ length: 9 }, (_, n) => `law-${n}`);
  await backUp(
    Object.fromEntries(
      names.slice(0, 8).map((name, n) => [name, `hostname law-${n % 4}\n${n % 3 ? '' : 'ip http server\n'}`]),
    ),
  );
  const shown = async (pieces: Target[][]) => {
    const request = { places: [at('base')], reader: { roles: ['admin'], groups: [] } };
    const { batchId } = await createBatch(db, { total: 9, treeIds: [treeId], request }, new Date());
    for (const targets of pieces) await checkChunk(db, { batchId, targets });
    // done again, as after a crash
    for (const targets of pieces.slice(0, 1)) await checkChunk(db, { batchId, targets });
    return (await headers(batchId)).map(({ deviceName, totals, error }) => ({ deviceName, totals, error }));
  };
  const targets = names.map((device): Target => ({ device, places: [0] }));
  const whole = await shown([targets]);
  expect(whole).toHaveLength(9);
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray(targets, { minLength: 9 }),
      fc.integer({ min: 1, max: 9 }),
      async (order, size) => {
        const pieces = Array.from({ length: Math.ceil(9 / size) }, (_, n) =>
          order.slice(n * size, (n + 1) * size),
        );
        expect(await shown(pieces)).toEqual(whole);
      },
    ),
    { numRuns: 15 },
  );
}, 60_000);
