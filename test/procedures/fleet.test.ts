import { expect, test } from 'vitest';
import { issuePathsOf, NOBODY, rejectionOf, rolesThatMay, unique } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const { configurationManager: manager, operationsManager, audit } = await service.as('admin');

const night = { calendar: { every: 'day' as const, at: '02:30' }, timeZone: 'Europe/Berlin' };
const selection = { pattern: 'edge-*' };

test('any account previews a schedule; its mistakes name their fields', async () => {
  const preview = { schedule: night, from: '2026-03-28T00:00:00.000Z', count: 2 };
  expect(await operationsManager.previewSchedule(preview)).toEqual({
    moments: ['2026-03-28T01:30:00.000Z', '2026-03-29T01:00:00.000Z'],
  });
  const wrong = {
    ...night,
    timeZone: 'Mars/Olympus',
    blackouts: [{ from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }],
  };
  expect(await issuePathsOf(operationsManager.previewSchedule({ schedule: wrong }))).toEqual([
    'schedule.timeZone',
    'schedule.blackouts.0.to',
  ]);
});

test('a backup schedule is stored, changed by its account, and deleted', async () => {
  const name = unique('nightly');
  const made = await manager.createBackupSchedule({ name, schedule: night, selection });
  expect(made).toMatchObject({ name, enabled: true, lastRunId: null, nextRunAt: expect.any(Number) });
  expect(await manager.getBackupSchedule({ id: made.id })).toEqual(made);
  expect((await manager.listBackupSchedules({})).list).toContainEqual(made);
  expect(await rejectionOf(manager.createBackupSchedule({ name, schedule: night, selection }))).toMatchObject(
    {
      code: 'CONFLICT',
    },
  );
  const { configurationManager: writer } = await service.as('apiwrite');
  const changed = await writer.updateBackupSchedule({ id: made.id, enabled: false });
  expect(changed).toMatchObject({ name, nextRunAt: null, createdBy: made.createdBy });
  expect(changed.runAs).not.toBe(made.runAs);
  const wrong = manager.updateBackupSchedule({ id: made.id, schedule: { cron: 'often' } });
  expect(await issuePathsOf(wrong)).toEqual(['schedule.cron']);
  await manager.deleteBackupSchedule({ id: made.id });
  expect(await rejectionOf(manager.getBackupSchedule({ id: made.id }))).toMatchObject({ code: 'NOT_FOUND' });
  const { results } = await audit.listEntries({
    queryOptions: { equals: 'configurationManager.deleteBackupSchedule', equalsField: 'operation' },
  });
  expect(results).toContainEqual(
    expect.objectContaining({
      outcome: 'ok',
      document: expect.objectContaining({ kind: 'backup_schedules' }),
    }),
  );
});

test('a selection without a field, or without a device, starts no run', async () => {
  expect(await issuePathsOf(manager.startFleetBackup({ selection: {} }))).toEqual(['selection']);
  expect(await issuePathsOf(manager.startFleetBackup({ selection: { pattern: 'nobody-*' } }))).toEqual([
    'selection',
  ]);
  expect(await rejectionOf(manager.getBackupRun({ runId: NOBODY }))).toMatchObject({ code: 'NOT_FOUND' });
});

test('the policy keeps the newest backups of a device, recent ones, tagged ones and always the last one', async () => {
  const dates = ['2020-01-01', '2021-01-01', '2022-01-01', '2023-01-01'];
  const name = unique('kept');
  await manager.importBackups({
    backups: dates.map((date) => ({
      name,
      rawConfig: `hostname ${date}\n`,
      date: `${date}T00:00:00.000Z`,
    })) as never,
  });
  expect(await manager.getBackupPolicy({})).toEqual({ keep: {} });
  expect((await manager.previewBackupPolicy({ keep: { count: 2 } })).expired).toBe(2);
  expect((await manager.previewBackupPolicy({ keep: { days: 1 } })).expired).toBe(3);
  expect((await manager.previewBackupPolicy({ keep: { count: 2, days: 36_500 } })).expired).toBe(0);
  await manager.replaceBackupPolicy({ keep: { count: 2 } });
  expect(await manager.runBackupPolicy({})).toEqual({ removed: 2, left: 0 });
  const { list } = (await manager.searchBackups({ options: { filter: { name } } } as never)) as {
    list: { date: string }[];
  };
  expect(list.map(({ date }) => date.slice(0, 4))).toEqual(['2023', '2022']);
});

test('endpoints allow the documented roles and deny all others', async () => {
  const id = NOBODY;
  expect(await rolesThatMay(service, (as) => as.configurationManager.cancelBackupRun({ runId: id }))).toEqual(
    ['admin', 'apiwrite'],
  );
  expect(await rolesThatMay(service, (as) => as.configurationManager.getBackupPolicy({}))).toEqual(['admin']);
  expect(await rolesThatMay(service, (as) => as.configurationManager.startCampaign({ id }))).toEqual([
    'admin',
  ]);
  const digest = '0'.repeat(64);
  expect(
    await rolesThatMay(service, (as) => as.configurationManager.approveCampaign({ id, digest })),
  ).toEqual(['admin', 'engineering']);
});
