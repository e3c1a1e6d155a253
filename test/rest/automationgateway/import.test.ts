import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { cliHost, openGateway } from '../../helpers/gateway.ts';
import { isLong, lawRuns } from '../../helpers/long.ts';

const { db, done, send } = await openGateway();

type Fields = Record<string, unknown>;
type Imported = { message: string; data: { success: boolean; name: string; message: string }[] };
type Exported = { hosts: Fields[] };

const bring = (hosts: Fields[], options?: Fields, kind = 'cli') =>
  done<Imported>('POST', `/inventory/${kind}/import`, { hosts, ...(options && { options }) });
const exported = (kind = 'cli') => done<Exported>('GET', `/inventory/${kind}/export`);
const sealed = async () =>
  rows<{ name: string; secrets: string }>(
    db,
    sql`select name, secrets::text as secrets from gateway_hosts order by name`,
  );

beforeEach(async () => {
  await db.execute(sql`delete from gateway_hosts`);
});

test('each host is independent: mistakes in one do not keep the others out', async () => {
  const [one, two, taken] = [cliHost(), cliHost(), cliHost()];
  await bring([taken]);
  const { message, data } = await bring([
    one,
    cliHost({ device_type: 'toaster' }),
    taken,
    one,
    cliHost({ host: '169.254.169.254' }),
    two,
  ]);
  expect(message).toBe('Imported 2 of 6 hosts');
  expect(data.map(({ success }) => success)).toEqual([true, false, false, false, false, true]);
  expect(data.map(({ message: reported }) => reported)).toEqual([
    'Created.',
    expect.stringContaining('device_type'),
    'already exists',
    'occurs twice in this import',
    expect.stringContaining('metadata'),
    'Created.',
  ]);
  expect((await exported()).hosts).toHaveLength(3);
});

test('with overwrite a host is replaced as a whole, keeps its id, and keeps the secrets that are sent masked', async () => {
  const host = cliHost({ tags: ['old'] });
  await bring([host]);
  const [before] = (await exported()).hosts;
  const [secret] = await sealed();
  await bring([{ ...before, tags: ['new'] }], { overwrite: true });
  const [after] = (await exported()).hosts;
  expect(after).toMatchObject({ _id: before?._id, tags: ['new'], created: before?.created });
  expect(after?.lastUpdated).not.toBe(before?.lastUpdated);
  expect(await sealed()).toEqual([secret]);
  const moved = await bring([{ ...before, host: '192.0.2.200' }], { overwrite: true });
  expect(moved.data[0]).toMatchObject({ success: false, message: expect.stringContaining('password') });
});

test.skipIf(!isLong)('more than 10,000 hosts in one import are rejected, 10,000 are not', async () => {
  const hosts = (count: number) =>
    Array.from({ length: count }, (_, at) =>
      cliHost({ name: `bulk-${at}`, host: `10.9.${at >> 8}.${at & 255}` }),
    );
  expect((await send('POST', '/inventory/cli/import', { hosts: hosts(10_001) })).status).toBe(400);
  const { message } = await bring(hosts(10_000));
  expect(message).toBe('Imported 10000 of 10000 hosts');
});

const text = fc.string({
  unit: fc.constantFrom('a', 'B', '7', 'ü', ' ', '"', '\\', ':', '@'),
  minLength: 1,
  maxLength: 12,
});
const host = fc.record(
  {
    host: fc.ipV4().filter((address) => /^(10|172|192)\./.test(address)),
    port: fc.integer({ min: 1, max: 65_535 }),
    username: fc.option(text),
    password: fc.option(text),
    privateKey: fc.option(text),
    device_type: fc.constantFrom('cisco_ios', 'arista_eos', 'frr'),
    tags: fc.array(text, { maxLength: 3 }),
    site: text,
    options: fc.record({ timeoutMs: fc.integer({ min: 1, max: 99_999 }) }),
  },
  { requiredKeys: ['host', 'device_type'] },
);
const inventory = fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9@:-]{0,8}$/), host, { maxKeys: 6 });

test('an export that is imported over itself changes nothing but when it was written', async () => {
  await fc.assert(
    fc.asyncProperty(inventory, async (hosts) => {
      await db.execute(sql`delete from gateway_hosts`);
      const given = Object.entries(hosts)
        .filter(([name]) => name !== 'import' && name !== 'export')
        .map(([name, one]) => ({ name, ...one }));
      const { data } = await bring(given);
      expect(data.filter(({ success }) => !success)).toEqual([]);
      const [before, secrets] = [await exported(), await sealed()];
      await bring(before.hosts, { overwrite: true });
      const after = await exported();
      const still = ({ lastUpdated: _, ...rest }: Fields) => rest;
      expect(after.hosts.map(still)).toEqual(before.hosts.map(still));
      expect(await sealed()).toEqual(secrets);
    }),
    lawRuns(25),
  );
});

test('an export that is imported elsewhere is the same but for its secrets, which are to be set', async () => {
  await fc.assert(
    fc.asyncProperty(inventory, async (hosts) => {
      await db.execute(sql`delete from gateway_hosts`);
      await bring(Object.entries(hosts).map(([name, one]) => ({ name, ...one })));
      const before = await exported();
      await db.execute(sql`delete from gateway_hosts`);
      await bring(before.hosts);
      const unset = JSON.parse(JSON.stringify(before).replaceAll('"********"', '""')) as Exported;
      expect(await exported()).toEqual(unset);
      expect((await sealed()).every(({ secrets }) => secrets === '{}')).toBe(true);
    }),
    lawRuns(15),
  );
});
