import { expect, test } from 'vitest';
import { openConfiguration } from '../../helpers/configuration.ts';
import { liveDevices } from '../../helpers/devices/live-devices.ts';

const configuration = await openConfiguration();
const service = { send: configuration.call, platform: configuration.platform };
const { groupOf } = configuration;
type Fields = Record<string, unknown>;
const done = async (method: string, path: string, body?: unknown): Promise<Fields> => {
  const answer = await service.send('admin', method, path, body);
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.json as Fields;
};
const device = liveDevices(done, service.platform.cli);
const PATH = '/configuration_manager';
const take = (name: string, options?: Fields) =>
  done('POST', `${PATH}/devices/backups`, { name, ...(options && { options }) });
const backupsOf = async (name: string) =>
  (await done('POST', `${PATH}/backups`, { options: { filter: { name } } })) as unknown as {
    total: number;
    list: { id: string; date: string; lastSeen: string; lastUpdated: string }[];
  };

test('a device that is backed up again unchanged keeps one backup, which says when it was last seen', async () => {
  const { name, config } = await device(['hostname edge-r1']);
  const first = await take(name);
  expect(first.unchanged).toBe(false);
  const [stored] = (await backupsOf(name)).list;
  expect(stored?.lastSeen).toBe(stored?.date);
  expect(await take(name)).toMatchObject({ id: first.id, unchanged: true });
  const { total, list } = await backupsOf(name);
  expect(total).toBe(1);
  expect(list[0]).toMatchObject({ id: first.id, date: stored?.date, lastUpdated: stored?.lastUpdated });
  expect(Date.parse(String(list[0]?.lastSeen))).toBeGreaterThan(Date.parse(String(stored?.date)));

  config.running.push('ntp server 192.0.2.9');
  expect((await take(name)).unchanged).toBe(false);
  // What it had before is another backup than what it has again.
  config.running.pop();
  const third = await take(name);
  expect(third.unchanged).toBe(false);
  const history = await backupsOf(name);
  expect(history.total).toBe(3);
  expect(history.list.map(({ id }) => id)).toContain(first.id);
  const [newest, older] = history.list;
  const diff = { id: older?.id, nextId: newest?.id, collection: 'backups', nextCollection: 'backups' };
  expect(JSON.stringify(await done('PUT', `${PATH}/lookup_diff`, diff))).toContain('ntp');
});

test('concurrent backups of one device with the same text keep one', async () => {
  const { name } = await device(['hostname edge-r1']);
  const taken = await Promise.all(Array.from({ length: 4 }, () => take(name)));
  expect(new Set(taken.map(({ id }) => id)).size).toBe(1);
  expect(taken.filter(({ unchanged }) => unchanged)).toHaveLength(3);
  expect((await backupsOf(name)).total).toBe(1);
});

test('a remark that the newest backup does not have is stored with a backup of its own', async () => {
  const { name } = await device(['hostname edge-r1']);
  await take(name);
  const remark = { description: 'before the upgrade' };
  const second = await take(name, remark);
  expect(second.unchanged).toBe(false);
  expect(await take(name, remark)).toMatchObject({ id: second.id, unchanged: true });
  expect(await take(name)).toMatchObject({ id: second.id, unchanged: true });
  expect((await backupsOf(name)).total).toBe(2);
});

test('a caller who may not write the newest backup of an unchanged device gets a new one', async () => {
  const { name } = await device(['hostname edge-r1']);
  const { id } = await take(name);
  const { results } = (await done('GET', '/authorization/groups')) as { results: { _id: string }[] };
  const gbac = { read: [results[0]?._id], write: [results[0]?._id] };
  await done('PUT', `${PATH}/backups/${id}`, { gbac });
  const answer = await service.send('apiwrite', 'POST', `${PATH}/devices/backups`, { name });
  expect(answer.json).toMatchObject({ unchanged: false });
  expect((answer.json as Fields).id).not.toBe(id);
});

test('a backup of a device with an access list is for the groups that may read the device', async () => {
  const readers = ['apiread', 'apiwrite'] as const;
  const group = await groupOf(readers);
  const gbac = { read: [group], write: [group] };
  const { name, config } = await device(['hostname edge-hidden'], 'cisco_ios', {}, { gbac });
  const { id, unchanged } = await take(name);
  expect(unchanged).toBe(false);
  const read = (as: Parameters<typeof service.send>[0]) => service.send(as, 'GET', `${PATH}/backups/${id}`);
  expect((await read(readers)).json).toMatchObject({ id, gbac });
  expect((await read('apiread')).status).toBe(404);
  const find = { text: 'hostname edge-hidden' };
  expect((await service.send('apiread', 'POST', `${PATH}/backups/find`, find)).json).toMatchObject({
    total: 0,
  });

  // A member of the group keeps the one backup; a device that was opened keeps what was read while it was hidden.
  const again = await service.send(readers, 'POST', `${PATH}/devices/backups`, { name });
  expect(again.json).toMatchObject({ id, unchanged: true });
  await done('PATCH', `/automationgateway/inventory/cli/${name}`, {
    updates: { gbac: { read: [], write: [] } },
  });
  config.running.push('ntp server 192.0.2.9');
  const opened = await take(name);
  expect((await service.send('apiread', 'GET', `${PATH}/backups/${opened.id}`)).status).toBe(200);
  expect((await read('apiread')).status).toBe(404);
});

test('an import stores lastSeen, and an import that differs in lastSeen alone is a repetition', async () => {
  const lastSeen = '2026-02-04T04:05:06.000Z';
  const backup = { id: '65f0c1d2e3a4b5c6d7e8f9aa', name: 'edge-moved', rawConfig: 'hostname edge-moved\n' };
  await done('POST', `${PATH}/import/backups`, { backups: [{ ...backup, lastSeen }] });
  await done('POST', `${PATH}/import/backups`, {
    backups: [{ ...backup, lastSeen: '2026-02-05T00:00:00.000Z' }],
  });
  expect(await done('GET', `${PATH}/backups/${backup.id}`)).toMatchObject({ lastSeen });
});
