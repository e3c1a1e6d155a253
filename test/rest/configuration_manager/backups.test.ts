import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { newId } from '#db/ids.ts';
import type { Backup, BackupItem } from '#db/schemas/golden-config/backup.ts';
import { issuesOf, openConfiguration } from '../../helpers/configuration.ts';

const { as, count, done, groupOf, send } = await openConfiguration();

const backup = (change: Partial<BackupItem> = {}): BackupItem & { id: string } => {
  const id = newId();
  return {
    id,
    name: `edge-${id}`,
    provider: 'gateway',
    type: 'native',
    date: '2026-02-03T04:05:06.789Z',
    rawConfig: `hostname ${id}\n`,
    description: 'before the upgrade',
    notes: '',
    gbac: { read: [], write: [] },
    ...change,
  } as BackupItem & { id: string };
};
const importAll = (...backups: unknown[]) => done('POST', '/import/backups', { backups });
const read = (id: string) => done<Backup>('GET', `/backups/${id}`);
const texts = (...held: BackupItem[]) =>
  count(sql`from raw_configs where content in ${held.map(({ rawConfig }) => rawConfig)}`);

test('backups are counted, and come back with id, hash, size and text', async () => {
  const three = [backup(), backup({ provider: ['a', 'b'], rack: { unit: 7 } }), backup()];
  expect(await importAll(...three)).toEqual({ status: 'success', message: 'Imported 3 backups' });
  expect(await importAll(backup())).toEqual({ status: 'success', message: 'Imported 1 backup' });
  expect(await importAll()).toEqual({ status: 'success', message: 'Imported 0 backups' });
  for (const one of three) {
    expect(await read(one.id)).toEqual({
      ...one,
      _id: one.id,
      sha256: createHash('sha256').update(one.rawConfig).digest('hex'),
      size: Buffer.byteLength(one.rawConfig),
      lastUpdated: expect.stringMatching(/Z$/),
    });
  }
});

test('any text is returned unchanged', async () => {
  const rawConfig = 'banner ^C\r\n\tünï \u{1F600} "quoted" \\ \u0001\u007f\u2028 {}\n'.repeat(50);
  const one = backup({ rawConfig });
  await importAll(one, backup({ ...one, id: newId(), rawConfig: '' }));
  expect((await read(one.id)).rawConfig).toBe(rawConfig);
});

test('without an id one is made, without a date it is now; _id is read as id', async () => {
  const name = newId();
  const id = newId();
  await importAll({ name, rawConfig: 'x' }, { _id: id, name, rawConfig: 'x' });
  const { list } = await done<{ list: Backup[] }>('POST', '/backups', { options: { filter: { name } } });
  expect(list).toHaveLength(2);
  expect(list.map((one) => one.id)).toContain(id);
  // Recipes send the start as digits, as in the search for devices (contract/lifecycle#4.1).
  const rest = { filter: { name }, start: '1', limit: 25 };
  expect(await done('POST', '/backups', { options: rest })).toMatchObject({ total: 2, list: [list[1]] });
  for (const one of list) {
    expect(one._id).toBe(one.id);
    expect(Date.now() - Date.parse(one.date ?? '')).toBeLessThan(60_000);
  }
});

test('importing the same backup twice counts it but stores its content once', async () => {
  const one = backup();
  await importAll(one);
  const before = await read(one.id);
  expect(await importAll(one, one, { ...one, _id: one.id })).toMatchObject({ message: 'Imported 3 backups' });
  const { gbac: _, date: __, ...less } = one;
  await importAll(less);
  await importAll(before);
  expect(await read(one.id)).toEqual(before);
  expect(await count(sql`from backups where id = ${one.id}`)).toBe(1);
  expect(await count(sql`from backups where id = ${one.id} and rev = 1`)).toBe(1);
});

test.each<[string, Partial<BackupItem>]>([
  ['another text', { rawConfig: 'changed' }],
  ['another device', { name: 'another' }],
  ['another date', { date: '2026-02-03T04:05:06.000Z' }],
  ['another remark', { notes: 'changed' }],
  ['another access list', { gbac: { write: ['g'] } }],
  ['an unknown member more', { rack: 1 }],
])('an id with %s is rejected by name, and nothing of the call is stored', async (_, change) => {
  const [one, fresh] = [backup(), backup()];
  await importAll(one);
  const answer = await send('POST', '/import/backups', { backups: [fresh, { ...one, ...change }] });
  expect(answer).toMatchObject({
    status: 409,
    json: { code: 'CONFLICT', message: expect.stringContaining(one.id) },
  });
  expect(issuesOf(answer)).toEqual([`backups.1.id: backup ${one.id} has other content`]);
  expect((await send('GET', `/backups/${fresh.id}`)).status).toBe(404);
  expect(await texts(fresh)).toBe(0);
});

test('every id in conflict is named, in the call and against the store, up to a bound', async () => {
  const stored = Array.from({ length: 120 }, () => backup());
  await importAll(...stored);
  const [first] = stored;
  const twice = backup();
  const answer = await send('POST', '/import/backups', {
    backups: [...stored.map((one) => ({ ...one, notes: 'x' })), twice, { ...twice, notes: 'y' }],
  });
  expect(answer.status).toBe(409);
  const { message } = answer.json as { message: string };
  expect(message).toContain(twice.id);
  expect(message).toContain(first?.id);
  expect(message).toMatch(/ and 21 more$/);
  expect(issuesOf(answer)).toHaveLength(100);
});

test('a text is stored once, however many backups hold it, and dropped with the last of them', async () => {
  const rawConfig = `shared ${newId()}\n`;
  const [one, other] = [backup({ rawConfig }), backup({ rawConfig })];
  await importAll(one, other);
  expect(await texts(one)).toBe(1);
  expect(await done('DELETE', '/backups', { backupIds: [one.id] })).toEqual({
    status: 'success',
    deleted: 1,
  });
  expect((await read(other.id)).rawConfig).toBe(rawConfig);
  expect(await done('DELETE', `/backups?backupIds=${other.id}&backupIds=${one.id}`)).toMatchObject({
    deleted: 1,
  });
  expect(await texts(one)).toBe(0);
});

test.each<[string, object, string]>([
  ['a text that is none', { rawConfig: 5 }, 'backups.0.rawConfig'],
  ['no text', { rawConfig: undefined }, 'backups.0.rawConfig'],
  ['a date that is none', { date: 'yesterday' }, 'backups.0.date'],
  ['an id that is none', { id: 'xyz' }, 'backups.0.id'],
  ['an access list that is none', { gbac: 'x' }, 'backups.0.gbac'],
  ['readers but no writers', { gbac: { read: ['g'] } }, 'backups.0.gbac.write'],
  ['two ids', { _id: '65f0c1d2e3a4b5c6d7e8f902' }, 'backups.0._id'],
  ['a name that no index holds', { name: 'x'.repeat(300) }, 'backups.0.name'],
])('an import rejects %s', async (_, change, path) => {
  const answer = await send('POST', '/import/backups', { backups: [{ ...backup(), ...change }] });
  expect(answer.status).toBe(400);
  expect(issuesOf(answer).join()).toContain(path);
});

test('the list is newest first, whatever precision the dates have, and without texts', async () => {
  const name = newId();
  const dates = [
    '2026-02-03T04:05:06Z',
    '2026-02-03T04:05:06.5Z',
    '2026-02-03T04:05:07.000Z',
    '2026-02-03T04:05:05.999Z',
  ];
  await importAll(...dates.map((date) => backup({ name, date })));
  const answer = await done<{ total: number; list: Backup[] }>('POST', '/backups', {
    options: { filter: { name } },
  });
  expect(answer.total).toBe(4);
  expect(answer.list.map(({ date }) => date)).toEqual([dates[2], dates[1], dates[0], dates[3]]);
  for (const one of answer.list) expect(one).not.toHaveProperty('rawConfig');
  const oldest = { filter: { name }, sort: { date: 1 }, limit: 1, start: 1 };
  expect(await done('POST', '/backups', { options: oldest })).toMatchObject({
    total: 4,
    list: [{ date: dates[0] }],
  });
});

test.each([
  [{ dateFrom: '2026-02-03T04:05:06Z' }, [2, 3]],
  [{ dateTo: '2026-02-03T04:05:06.000Z' }, [0, 1, 2]],
  [{ dateFrom: '2026-02-03', dateTo: '2026-02-03' }, [1, 2]],
  [{ dateFrom: '2026-02-04' }, [3]],
  [{ description: 'NIGHT' }, [0]],
  [{ description: null, dateTo: null }, [0, 1, 2, 3]],
])('the filter %j finds %j', async (filter, found) => {
  const name = newId();
  const made = [
    backup({ name, date: '2026-02-02T23:59:59.999Z', description: 'nightly' }),
    backup({ name, date: '2026-02-03T00:00:00.000Z' }),
    backup({ name, date: '2026-02-03T04:05:06.000Z' }),
    backup({ name, date: '2026-02-04T00:00:00.000Z' }),
  ];
  await importAll(...made);
  const { list } = await done<{ list: Backup[] }>('POST', '/backups', {
    options: { filter: { name, ...filter } },
  });
  expect(list.map(({ id }) => made.findIndex((one) => one.id === id)).toSorted()).toEqual(found);
});

test('with regex the name is an expression, the description stays a text', async () => {
  const mark = newId();
  await importAll(
    backup({ name: `${mark}-edge-1`, description: '(a)' }),
    backup({ name: `${mark}-core-1`, description: '(a)' }),
  );
  const filter = { name: `^${mark}-(edge|agg)-\\d$`, description: '(A)' };
  const answer = await done<{ list: Backup[] }>('POST', '/backups', { options: { filter, regex: true } });
  expect(answer.list.map(({ name }) => name)).toEqual([`${mark}-edge-1`]);
  const broken = await send('POST', '/backups', { options: { filter: { name: '(' }, regex: true } });
  expect(issuesOf(broken)).toEqual([expect.stringMatching(/^options\.filter\.name: .*position 1/)]);
});

test.each([
  { options: { filter: { dateFrom: 'x' } } },
  { options: { sort: { rawConfig: 1 } } },
  { filter: {} },
])('the search rejects %j', async (body) => expect((await send('POST', '/backups', body)).status).toBe(400));

test('the remarks of a backup change, its configuration does not', async () => {
  const one = backup();
  await importAll(one);
  const before = await read(one.id);
  expect(await done('PUT', `/backups/${one.id}`, { notes: 'kept', description: null })).toMatchObject({
    status: 'success',
  });
  const group = await groupOf(['support']);
  await done('PUT', `/backups/${one.id}`, { options: { gbac: { write: [group] } } });
  const after = await read(one.id);
  expect(after).toEqual({
    ...before,
    notes: 'kept',
    gbac: { read: [], write: [group] },
    lastUpdated: after.lastUpdated,
  });
  expect(Date.parse(String(after.lastUpdated))).toBeGreaterThan(Date.parse(String(before.lastUpdated)));
  const stale = await send(
    'PUT',
    `/backups/${one.id}`,
    { notes: 'x' },
    { ifMatch: String(before.lastUpdated) },
  );
  expect(stale.status).toBe(409);
  expect((await send('PUT', `/backups/${one.id}`, { rawConfig: 'x' })).status).toBe(400);
  expect((await send('PUT', `/backups/${one.id}`, { notes: 'x', options: {} })).status).toBe(400);
});

test('a missing backup is 404', async () => {
  for (const [method, body] of [['GET'], ['PUT', { notes: 'x' }]] as const) {
    const answer = await send(method, '/backups/65f0c1d2e3a4b5c6d7e8f901', body);
    expect(answer).toMatchObject({
      status: 404,
      json: { message: 'Backup 65f0c1d2e3a4b5c6d7e8f901 does not exist' },
    });
  }
});

test('a typed caller gets the text as a field', async () => {
  const one = backup();
  await importAll(one);
  const { configurationManager } = await as('admin');
  expect((await configurationManager.getBackup({ id: one.id })).rawConfig).toBe(one.rawConfig);
});
