import { expect, test } from 'vitest';
import { scheduledBackups } from '#server/domains/golden-config/fleet/backup-schedules.service.ts';
import { startDue } from '#server/kernel/schedules/scheduler.ts';
import { openConfiguration } from '../helpers/configuration.ts';
import { unique } from '../helpers/procedures.ts';

const { call, done, send, db, platform, groupOf } = await openConfiguration();
const MASK = '********';
const nameOf = (word: string) => unique(word).replace(' ', '-');

const store = async (name: string, more: object = {}) => {
  const host = { name, host: '192.0.2.11', device_type: 'cisco_ios', ...more };
  const answer = await call('admin', 'POST', '/automationgateway/inventory/cli', { host });
  expect(answer.status, answer.text).toBe(200);
};
const [hidden, seen] = [nameOf('hidden'), nameOf('seen')];
const group = await groupOf(['support']);
await store(hidden, { gbac: { read: [group], write: [group] } });
await store(seen);

type Schedule = { id: string; selection: object; lastResult: string; nextRunAt: number };
const PATH = '/backups/schedules';
const WRITER = ['apiread', 'apiwrite'] as const;
const made = (selection: object, as: 'admin' | typeof WRITER = 'admin') =>
  done<Schedule>(
    'POST',
    PATH,
    { name: unique('nightly'), schedule: { everyMinutes: 60 }, selection },
    { as },
  );
const read = (id: string, as: 'admin' | 'apiread' | typeof WRITER = 'apiread') =>
  done<Schedule>('GET', `${PATH}/${id}`, undefined, { as });

test('a backup schedule names only devices that its reader may see, wherever it is answered', async () => {
  const selection = { names: [seen, hidden], exclude: ['lab-*', hidden] };
  const { id } = await made(selection);
  const shown = { names: [seen, MASK], exclude: ['lab-*', MASK] };
  expect((await read(id)).selection).toEqual(shown);
  const listed = await send('GET', `${PATH}?limit=1000`, undefined, { as: 'apiread' });
  expect(listed.text).toContain(seen);
  expect(listed.text).not.toContain(hidden);
  // Whoever changes a schedule runs it from then on, and still does not learn what it names.
  const changed = await done<Schedule>('PATCH', `${PATH}/${id}`, { retries: 2 }, { as: WRITER });
  expect(changed.selection).toEqual(shown);
  expect((await read(id, WRITER)).selection).toEqual(shown);
  expect((await read(id, 'admin')).selection).toEqual(selection);
});

test('a schedule does not tell a device that is hidden from one that does not exist', async () => {
  const guesses = { names: [hidden, nameOf('nobody')], exclude: { names: [nameOf('nobody')] } };
  const { id, selection } = await made(guesses, WRITER);
  const shown = { names: [MASK], exclude: { names: [MASK] } };
  expect([selection, (await read(id, WRITER)).selection]).toEqual([shown, shown]);
});

test('masks that are sent back are rejected, and what is stored stays', async () => {
  const { id } = await made({ names: [seen, hidden] });
  const { selection } = await read(id, WRITER);
  const rejected = await send('PATCH', `${PATH}/${id}`, { selection }, { as: WRITER });
  expect(rejected).toMatchObject({
    status: 400,
    json: { issues: [{ path: ['selection', 'names', 1], code: 'masked_name' }] },
  });
  expect((await read(id, 'admin')).selection).toEqual({ names: [seen, hidden] });
});

test('a start that fails does not name the devices that the account of the schedule may not see', async () => {
  const { id } = await made({ names: [seen, hidden] });
  const { nextRunAt } = await done<Schedule>('PATCH', `${PATH}/${id}`, { retries: 2 }, { as: WRITER });
  const now = () => new Date(nextRunAt + 1000);
  await startDue({ db, log: platform.log, now }, scheduledBackups(platform));
  const { lastResult } = await read(id);
  expect(lastResult).toContain('1 of selection.names');
  expect(lastResult).not.toContain(hidden);
});
