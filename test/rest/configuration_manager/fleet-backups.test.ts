import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { scheduledBackups } from '#server/domains/golden-config/fleet/backup-schedules.service.ts';
import { startDue } from '#server/kernel/schedules/scheduler.ts';
import { withCutOn } from '../../helpers/cut-statement.ts';
import { liveDevices } from '../../helpers/devices/live-devices.ts';
import { closedPort } from '../../helpers/devices/orchestrator.ts';
import { isLong } from '../../helpers/long.ts';
import { unique } from '../../helpers/procedures.ts';
import { until } from '../../helpers/processes/processes.ts';
import { openService, requestsBelow } from '../../helpers/service.ts';

const service = await openService({}, { works: true });
const { configurationManager: manager } = await service.as('admin');

const { done } = requestsBelow(service, '');
const device = liveDevices(done, service.platform.cli);

const ended = (runId: string) =>
  until(
    'the end of the run',
    async () => {
      const run = await manager.getBackupRun({ runId });
      return run.status === 'running' ? undefined : run;
    },
    60,
  );
const backupsOf = async (name: string) =>
  (await manager.searchBackups({ options: { filter: { name } } } as never)).total;

test('a run stores what has changed, stamps what has not, and says which devices failed and why', async () => {
  const first = await device(['hostname edge-1']);
  const second = await device(['hostname edge-2']);
  const absent = await device(['hostname edge-3'], 'cisco_ios', {}, { port: await closedPort() });
  const names = [first.name, second.name, absent.name];
  const order = { selection: { names }, retries: 1, retryAfterSeconds: 1 };
  const run = await ended((await manager.startFleetBackup(order)).runId);
  expect(run).toMatchObject({
    status: 'complete',
    progress: 100,
    total: 3,
    stored: 2,
    unchanged: 0,
    waiting: 0,
  });
  expect(run.failed).toEqual([
    { device: absent.name, reason: expect.stringContaining(absent.name), attempts: 2 },
  ]);

  second.config.running.push('ntp server 192.0.2.9');
  const again = await ended((await manager.startFleetBackup({ ...order, retries: 0 })).runId);
  expect(again).toMatchObject({ stored: 1, unchanged: 1, failedCount: 1 });
  expect(await backupsOf(first.name)).toBe(1);
  expect(await backupsOf(second.name)).toBe(2);
  const whole = { selection: { names: [first.name] }, onlyChanged: false };
  expect(await ended((await manager.startFleetBackup(whole)).runId)).toMatchObject({ stored: 1 });
  expect(await backupsOf(first.name)).toBe(2);
});

test.skipIf(!isLong)(
  'a run outside of its maintenance window waits for it, and can be canceled',
  async () => {
    const { name } = await device(['hostname edge-1']);
    const from = new Date(Date.now() + 3_600_000).toISOString();
    const to = new Date(Date.now() + 7_200_000).toISOString();
    const { runId } = await manager.startFleetBackup({
      selection: { names: [name] },
      windows: [{ from, to }],
    });
    const waiting = await until('the wait for the window', async () => {
      const run = await manager.getBackupRun({ runId });
      return run.nextAttempt === null ? undefined : run;
    });
    expect(waiting).toMatchObject({ status: 'running', waiting: 1, nextAttempt: from });
    await manager.cancelBackupRun({ runId });
    expect(await manager.getBackupRun({ runId })).toMatchObject({ status: 'canceled', stored: 0 });
  },
);

test('a device whose last maintenance window has passed is not read', async () => {
  const { name } = await device(['hostname edge-1']);
  const windows = [{ from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z' }];
  const run = await ended((await manager.startFleetBackup({ selection: { names: [name] }, windows })).runId);
  expect(run.failed).toEqual([
    { device: name, reason: 'The last maintenance window has ended', attempts: 0 },
  ]);
});

test('a schedule that is due starts a run for its account, once', async () => {
  const { name } = await device(['hostname edge-1']);
  const schedule = await manager.createBackupSchedule({
    name: unique('nightly'),
    schedule: { everyMinutes: 60 },
    selection: { names: [name] },
  });
  const { platform, db } = service;
  const later = () => new Date((schedule.nextRunAt ?? 0) + 1000);
  const parts = { db, log: platform.log, now: later };
  expect(await startDue(parts, scheduledBackups(platform))).toBe(1);
  expect(await startDue(parts, scheduledBackups(platform))).toBe(0);
  const after = await manager.getBackupSchedule({ id: schedule.id });
  expect(after).toMatchObject({ lastResult: '', nextRunAt: (schedule.nextRunAt ?? 0) + 3_600_000 });
  const run = await ended(after.lastRunId ?? '');
  expect(run).toMatchObject({ stored: 1, scheduleId: schedule.id, account: schedule.runAs });
});

test.skipIf(!isLong)(
  'a clock that jumps an hour forward and back starts no run of a schedule twice, and leaves none out',
  async () => {
    const { name } = await device(['hostname edge-1']);
    const { id, nextRunAt } = await manager.createBackupSchedule({
      name: unique('hourly'),
      schedule: { everyMinutes: 60 },
      selection: { names: [name] },
    });
    const { platform, db } = service;
    let newest = '';
    /** Looks for due work a number of hours after the first due time. @returns whether this schedule started a run */
    const startsAt = async (hours: number) => {
      const now = () => new Date((nextRunAt ?? 0) + hours * 3_600_000 + 1000);
      await startDue({ db, log: platform.log, now }, scheduledBackups(platform));
      const { lastRunId, lastResult } = await manager.getBackupSchedule({ id });
      expect(lastResult ?? '').toBe('');
      const isNew = (lastRunId ?? '') !== newest;
      newest = lastRunId ?? '';
      if (isNew) await ended(newest);
      return isNew;
    };
    const starts: number[] = [];
    const looks = [-0.5, 0, 1, 0, 0.9, 1, 0.5, 1.9, 2];
    for (const [look, hours] of looks.entries()) if (await startsAt(hours)) starts.push(look);
    expect(starts.map((look) => looks[look])).toEqual([0, 1, 2]);
    expect(starts).toEqual([1, 2, 8]);
    await manager.deleteBackupSchedule({ id });
  },
);

test.skipIf(!isLong)(
  'a device for which the connection to the database is lost is read again, and those that are read meanwhile are not',
  async () => {
    const slow = await device(['hostname edge-1'], 'cisco_ios', { delayMs: 500 });
    const cut = await device(['hostname edge-2']);
    const names = [slow.name, cut.name];
    const { runId } = await withCutOn(service.db, 'backups', () =>
      manager.startFleetBackup({ selection: { names }, concurrency: 2 }),
    );
    expect(await ended(runId)).toMatchObject({ status: 'complete', stored: 2, failedCount: 0 });
    const callsOf = (host: string) =>
      rows<{ n: number }>(
        service.db,
        sql`select count(*)::int as n from gateway_calls where doc ->> 'host' = ${host}`,
      );
    expect([await callsOf(slow.name), await callsOf(cut.name)]).toEqual([[{ n: 1 }], [{ n: 2 }]]);
  },
);

test.skipIf(!isLong)(
  'a device whose configuration the database has no room for has failed, and the run says why',
  async () => {
    const { name } = await device(['hostname edge-1']);
    await service.db.execute(sql`
    create function refuse_backups() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`);
    await service.db.execute(
      sql`create trigger refused before insert on backups for each row execute function refuse_backups()`,
    );
    try {
      const run = await ended(
        (await manager.startFleetBackup({ selection: { names: [name] }, retries: 0 })).runId,
      );
      expect(run.failed).toEqual([
        { device: name, reason: 'The database has no room left on its disk; retry later', attempts: 1 },
      ]);
    } finally {
      await service.db.execute(sql`drop function refuse_backups cascade`);
    }
  },
);
