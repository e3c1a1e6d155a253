import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { type Database, inTransaction, rows } from '#db/client.ts';
import type { Pool } from '#db/connections/pool.ts';
import type { NodeDetail } from '#db/schemas/golden-config/golden-tree.ts';
import { checkChunk } from '#server/domains/golden-config/compliance/grading/chunk.service.ts';
import { keepRules } from '#server/domains/golden-config/compliance/runs/batch-work.service.ts';
import { createBatch } from '#server/domains/golden-config/compliance/runs/batches.service.ts';
import type { Target } from '#server/domains/golden-config/compliance/runs/run-targets.ts';
import { openFleet } from '../../helpers/devices/fleet.ts';
import { lawRuns } from '../../helpers/long.ts';
import { createPerson, sendAs, signIn } from '../../helpers/people.ts';
import { unique } from '../../helpers/procedures.ts';
import { until } from '../../helpers/processes/processes.ts';
import { kill, openProcesses } from '../../helpers/processes/started.ts';

const fleet = await openFleet(false);
const { backUp, connection, count, db, done, headers, start, status, tree } = fleet;
const started = openProcesses('compliance-process');

afterAll(started.end);

const startProcess = () => started.start(JSON.stringify(connection));

/** Devices of a batch that takes long enough to be killed or canceled while it runs. */
const FLEET = 3000;

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

test('a batch whose process is killed is finished by another one, with one report per device, by the rules at its start', async () => {
  const { at, names, rules } = await fleetOf(FLEET, 'killed');
  const doomed = await startProcess();
  const batchId = await start(at('base'));
  const reached = await until(
    'some reports',
    async () => {
      const reported = await status(batchId);
      return reported.done > 0 ? reported : undefined;
    },
    40,
  );
  await kill(doomed);
  expect(reached.done).toBeLessThan(names.length);
  expect(await status(batchId)).toMatchObject({ status: 'running' });
  await rules('base', 'hostname {/.+/}\n<e/>ntp server 192.0.2.1\n');
  const heir = await startProcess();
  const ended = await fleet.ended(batchId, 60);
  expect(ended).toMatchObject({ status: 'complete', total: names.length, done: names.length, errors: 0 });
  const found = await headers(batchId);
  expect(found.map(({ deviceName }) => deviceName).sort()).toEqual(names.toSorted());
  expect(found.filter(({ totals }) => totals.errors === 1)).toHaveLength(names.length / 2);
  await kill(heir, 'SIGTERM');
});

test('a batch one of whose pieces killed three processes ends in error', async () => {
  const { at } = await fleetOf(1, 'poison');
  const batchId = await start(at('base'));
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  // While this lock is held, the piece is running and does not end.
  const lock = inTransaction(db, async (tx) => {
    await tx.execute(sql`lock table compliance_batch_rules in access exclusive mode`);
    await held;
  });
  const seen = new Set<string>();
  for (let round = 0; round < 3; round++) {
    const doomed = await startProcess();
    await until(
      'the piece is under way',
      async () => {
        const [piece] = await rows<{ executor: string }>(
          db,
          sql`select executor_id as executor from dbos.workflow_status
              where workflow_uuid = ${`${batchId}:0`} and status = 'PENDING' and executor_id <> 'suspects'`,
        );
        if (!piece || seen.has(piece.executor)) return undefined;
        seen.add(piece.executor);
        return true;
      },
      30,
    );
    await kill(doomed);
    expect(await status(batchId)).toMatchObject({ status: 'running' });
  }
  release();
  await lock;
  const survivor = await startProcess();
  expect(await fleet.ended(batchId, 60)).toMatchObject({ status: 'error' });
  await kill(survivor, 'SIGTERM');
});

test('rules, variables and parsers are those of the start, even when they change before the devices are checked', async () => {
  const parser = { name: unique('kept-parser').replace(' ', '-'), template: 'cisco-ios' };
  await done('POST', '/configurations/parser', parser);
  const made = await tree(
    'hostname {{ device.groups[0] }}\nntp server {{ ntp }}\n',
    {
      ntp: '192.0.2.9',
      device: { groups: ['Before'] },
    },
    parser.name,
  );
  await made.child('base', 'site');
  await made.rules('base/site', 'logging host 192.0.2.8\n');
  await made.place('base/site', ['kept-1', 'kept-2']);
  const text = 'hostname Before\nntp server 192.0.2.9\nlogging host 192.0.2.8\n';
  await backUp({ 'kept-1': text, 'kept-2': text });
  await done('POST', '/devicegroup', { groupName: 'Before', deviceNames: ['kept-1', 'kept-2'] });
  const batchId = await start(made.at('base/site'));
  await made.rules('base', 'hostname other\n');
  await done('PUT', `/configs/${made.treeId}/initial`, { variables: {} });
  await made.remove('base/site');
  await done('PUT', '/configurations/parser', {
    name: parser.name,
    options: { template: 'juniper-junos' },
  });
  await done('DELETE', '/deviceGroups', {
    groupIds: (await done<{ id: string; name: string }[]>('GET', '/deviceGroups')).map(({ id }) => id),
  });
  const worker = await startProcess();
  expect(await fleet.ended(batchId)).toMatchObject({ status: 'complete', done: 2, errors: 0 });
  expect(await headers(batchId)).toMatchObject([
    { deviceName: 'kept-1', totals: { passes: 3, warnings: 0 } },
    { deviceName: 'kept-2', totals: { passes: 3, warnings: 0 } },
  ]);
  expect(await count(sql`from compliance_batch_rules where batch_id = ${batchId}`)).toBe(0);
  await kill(worker, 'SIGTERM');
});

test('pieces of a throttled plan wait for each other, and a canceled one leaves none behind', async () => {
  const { treeId, names, at } = await fleetOf(600, 'slow');
  const { attributes } = await done<NodeDetail>('GET', `/configs/${treeId}/initial/base`);
  const node = { treeId, version: 'initial', nodeId: attributes?.configId };
  const planOf = async (throttle: number) => {
    const { id } = await done<{ id: string }>('POST', '/compliance_plans', {
      name: unique(`Throttled ${throttle}`),
      options: { throttle, nodes: [node] },
    });
    const { instanceId } = await done<{ instanceId: string }>('POST', '/compliance_plans/run', {
      planId: id,
    });
    const { plans } = await done<{ plans: { batchId: string }[] }>(
      'POST',
      '/search/compliance_plan_instances',
      {
        searchParams: { instanceId },
      },
    );
    return plans[0]?.batchId ?? '';
  };
  const requested = (batchId: string) =>
    count(sql`from dbos.workflow_status where workflow_uuid like ${`${batchId}:%`}`);
  const kept = (batchId: string) => count(sql`from compliance_batch_piece where batch_id = ${batchId}`);
  const canceled = await planOf(1);
  await done('POST', `/compliance_reports/batch/${canceled}/cancel`);
  expect(await kept(canceled)).toBe(0);
  const two = await planOf(500);
  expect([await requested(two), await kept(two)]).toEqual([2, 1]);
  const one = await planOf(5);
  expect([await requested(one), await kept(one)]).toEqual([1, 2]);
  const all = await start(at('base'));
  expect([await requested(all), await kept(all)]).toEqual([3, 0]);
  const worker = await startProcess();
  for (const batchId of [one, two]) {
    expect(await fleet.ended(batchId)).toMatchObject({ status: 'complete', done: names.length, errors: 0 });
    expect([await requested(batchId), await kept(batchId)]).toEqual([3, 0]);
  }
  expect(await status(canceled)).toMatchObject({ status: 'canceled', done: 0 });
  await kill(worker, 'SIGTERM');
});

test('a throttled piece reads no more configurations at a time than its limit', async () => {
  const { at, treeId } = await tree('hostname {/.+/}\n');
  const names = Array.from({ length: 5 }, (_, n) => `few-${n}`);
  await backUp(Object.fromEntries(names.map((name) => [name, `hostname ${name}\n`])));
  const places = [at('base')];
  const targets = names.map((device): Target => ({ device, places: [0] }));
  const request = { places, reader: { roles: ['admin'], groups: [] } };
  const { batchId } = await createBatch(db, { total: 5, treeIds: [treeId], request }, new Date());
  await keepRules(db, batchId, places, targets);
  const read: number[] = [];
  const { $client: pool } = db as typeof db & { $client: Pool };
  const unsafe: Pool['unsafe'] = (text, ...more) => {
    const requested = pool.unsafe(text, ...more);
    if (text.startsWith('select "sha256", "content"'))
      void requested.then((found) => read.push(found.length));
    return requested;
  };
  const watched = drizzle({ client: { ...pool, unsafe } as never }) as Database;
  await checkChunk({ db: watched, platform: fleet.platform }, { batchId, targets, atOnce: 2 });
  expect(read).toEqual([2, 2, 1]);
  expect(await headers(batchId)).toHaveLength(5);
});

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
  await kill(worker, 'SIGTERM');
});

test('a batch that is canceled while it runs starts nothing more', async () => {
  const { at, names } = await fleetOf(FLEET, 'stopped');
  const worker = await startProcess();
  const batchId = await start(at('base'));
  await until('some reports', async () => ((await status(batchId)).done > 0 ? true : undefined));
  await done('POST', `/compliance_reports/batch/${batchId}/cancel`);
  const next = await start({ ...at('base'), devices: ['stopped-1'] });
  await fleet.ended(next);
  const reported = await status(batchId);
  expect(reported.status).toBe('canceled');
  expect(reported.done).toBeLessThan(names.length);
  expect(await count(sql`from compliance_report where batch_id = ${batchId}`)).toBe(reported.done);
  await kill(worker, 'SIGTERM');
});

test('a batch finds what its caller may read by the time it is checked, and ends in error once the account is inactive', async () => {
  const person = await createPerson(fleet, ['apiwrite']);
  const service = { ...fleet, send: fleet.service };
  const token = await signIn(service, person);
  const startAs = async (device: string) => {
    const { at, place } = await tree('hostname x\n');
    await place('base', [device]);
    await backUp({ [device]: 'hostname x\n' });
    const path = '/configuration_manager/compliance_reports';
    const { json } = await sendAs(service, token, 'POST', path, { options: at('base') });
    return (json as { batchId: string }).batchId;
  };
  const decide = (unlisted: string) =>
    fleet.service('admin', 'PUT', '/authorization/access_default', { unlisted });
  const hidden = await startAs('hidden-1');
  expect((await decide('administrators')).status).toBe(200);
  const worker = await startProcess();
  expect(await fleet.ended(hidden)).toMatchObject({ status: 'complete', errors: 1 });
  await decide('readers');
  await kill(worker, 'SIGTERM');

  const orphaned = await startAs('orphaned-1');
  const account = `/authorization/accounts/${person.id}`;
  expect((await fleet.service('admin', 'PATCH', account, { inactive: true })).status).toBe(200);
  const other = await startProcess();
  expect(await fleet.ended(orphaned)).toMatchObject({ status: 'error', done: 0 });
  await kill(other, 'SIGTERM');
});

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
  const targets = names.map((device): Target => ({ device, places: [0] }));
  const shown = async (pieces: Target[][]) => {
    const request = { places: [at('base')], reader: { roles: ['admin'], groups: [] } };
    const { batchId } = await createBatch(db, { total: 9, treeIds: [treeId], request }, new Date());
    await keepRules(db, batchId, request.places, targets);
    for (const targets of pieces) await checkChunk(fleet, { batchId, targets });
    // done again, as after a crash
    for (const targets of pieces.slice(0, 1)) await checkChunk(fleet, { batchId, targets });
    return (await headers(batchId)).map(({ deviceName, totals, error }) => ({ deviceName, totals, error }));
  };
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
    lawRuns(15),
  );
});
