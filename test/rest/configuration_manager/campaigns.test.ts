import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { inTransaction, rows } from '#db/client.ts';
import { campaignDevices } from '#db/tables/golden-config/fleet.ts';
import { remediations } from '#db/tables/golden-config/remediations.ts';
import { enqueueWave } from '#server/domains/golden-config/campaigns/campaigns.service.ts';
import { withCutOn } from '../../helpers/cut-statement.ts';
import { NTP, openCampaigns, RULES } from '../../helpers/devices/campaigns.ts';
import { eventsOfRun } from '../../helpers/jobs/events.ts';
import { isLong } from '../../helpers/long.ts';
import { rejectionOf, unique } from '../../helpers/procedures.ts';
import { until } from '../../helpers/processes/processes.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService({}, { works: true });
const { manager, writer, approver, authorization, checked, reached, outcomes } = await openCampaigns(service);

/** Makes a device forget the new line. */
function forgetNtp({ config }: { config: { running: string[] } }) {
  let { running } = config;
  Object.defineProperty(config, 'running', {
    get: () => running,
    set: (lines: string[]) => {
      running = lines.filter((line) => line !== NTP);
    },
  });
}

test('a campaign is approved by a second user, changes devices in waves, and stops when a check fails', async () => {
  const { treeId, devices, names } = await checked(3);
  const [first, second, third] = devices;
  const { id } = await writer.createCampaign({
    name: 'Time servers',
    treeId,
    selection: { names },
    removeDisallowed: true,
    waves: [1],
  });
  const review = await reached(id, 'review', 'error');
  expect(review).toMatchObject({ status: 'review', devices: { proposed: 3 } });
  const planned = (await manager.listCampaignDevices({ id })).list.map(({ wave, plannedWave }) => ({
    wave,
    plannedWave,
  }));
  expect(planned).toEqual([1, 2, 3].map((plannedWave) => ({ wave: null, plannedWave })));
  expect(await manager.listCampaignWaves({ id, start: 1, limit: 1 })).toEqual({
    total: 3,
    list: [{ wave: 2, status: 'planned', devices: { proposed: 1 } }],
  });
  expect(await rejectionOf(manager.startCampaign({ id }))).toMatchObject({ code: 'CONFLICT' });
  const wrong = approver.approveCampaign({ id, digest: '0'.repeat(64) });
  expect((await rejectionOf(wrong)).message).toContain('review them again');
  await approver.approveCampaign({ id, digest: review.digest });
  if (second) forgetNtp(second);
  await manager.startCampaign({ id });
  const ended = await reached(id, 'stopped', 'complete', 'error');
  expect(ended).toMatchObject({
    status: 'stopped',
    wave: 2,
    reason: expect.stringContaining('1 device failed: the rule stops at 1'),
  });
  expect(await outcomes(id)).toEqual(['applied', 'rolledBack', 'skipped']);
  // As REST answers them to those who may approve; the last device is in no wave any more.
  const waves = await service.send('engineering', 'GET', `/configuration_manager/campaigns/${id}/waves`);
  expect(waves.json).toEqual({
    total: 2,
    list: [
      { wave: 1, status: 'ended', devices: { applied: 1 } },
      { wave: 2, status: 'ended', devices: { rolledBack: 1 } },
    ],
  });
  const ofWave = await manager.listCampaignDevices({ id, wave: 2 });
  expect(ofWave.list.map(({ device: name }) => name)).toEqual([second?.name]);
  expect(first?.config.running).toEqual(['hostname edge-r1', NTP]);
  expect(second?.config.running).toEqual(['hostname edge-r1', 'ip http server']);
  expect(third?.config.running).toEqual(['hostname edge-r1', 'ip http server']);
  const events = await eventsOfRun(service, id, ['designer', 'support']);
  const statuses = [...new Set(events.map(({ payload }) => payload.status))];
  expect(statuses).toEqual(['preparing', 'review', 'approved', 'running', 'stopped']);
  expect(events.at(-1)).toMatchObject({
    topic: 'campaignFinished',
    payload: { treeId, wave: 2, devices: { applied: 1, rolledBack: 1, skipped: 1 } },
  });
  // The tree decides: once its access list names others, an approver receives nothing of its campaigns.
  const { data: group } = await authorization.createGroup({ group: { name: unique('Others') } });
  await manager.updateTree({ treeId, options: { gbac: { read: [group._id], write: [group._id] } } } as never);
  await eventsOfRun(service, id, ['engineering', 'apiread']);
});

test.skipIf(!isLong)('a device whose rollback is rejected has failed, and the reason says so', async () => {
  const rules = `${RULES}{d/}refused line\n`;
  const { treeId, devices, names } = await checked(1, rules, ['refused line']);
  const { id } = await writer.createCampaign({
    name: unique('Rejected'),
    treeId,
    selection: { names },
    removeDisallowed: true,
  });
  const { digest } = await reached(id, 'review');
  await approver.approveCampaign({ id, digest });
  if (devices[0]) forgetNtp(devices[0]);
  await manager.startCampaign({ id });
  await reached(id, 'stopped', 'complete');
  const { list } = await manager.listCampaignDevices({ id });
  expect(list).toMatchObject([{ status: 'failed' }]);
  expect(list[0]?.reason).toMatch(
    /differs from the prediction; its rollback failed: .*line \d was rejected/s,
  );
});

test.skipIf(!isLong)(
  'a device that a lost process was changing has failed, also when the campaign was canceled in the meantime',
  async () => {
    const { treeId, names } = await checked(1);
    const { id } = await writer.createCampaign({ name: unique('Lost'), treeId, selection: { names } });
    const { digest } = await reached(id, 'review');
    await approver.approveCampaign({ id, digest });
    // What a process that was killed leaves; its work is taken up again.
    await service.db
      .update(campaignDevices)
      .set({ status: 'applying', wave: 1 })
      .where(eq(campaignDevices.campaignId, id));
    await manager.cancelCampaign({ id });
    await inTransaction(service.db, (db) =>
      enqueueWave({ db, platform: service.platform }, { campaignId: id, wave: 1 }),
    );
    const device = await until(
      'the end of the device',
      async () => {
        const { list } = await manager.listCampaignDevices({ id });
        return list[0]?.status === 'applying' ? undefined : list[0];
      },
      30,
    );
    expect(device).toMatchObject({ status: 'failed', reason: expect.stringContaining('process was lost') });
  },
);

test('a campaign is found by its proposal, its author may not approve it, and a canceled one changes nothing', async () => {
  const { treeId, devices, names } = await checked(1);
  const { id } = await manager.createCampaign({ name: 'Own', treeId, selection: { names } });
  const { digest } = await reached(id, 'review');
  const [{ remediationId } = { remediationId: null }] = (await manager.listCampaignDevices({ id })).list;
  const ofProposal = await manager.listCampaigns({ remediationId: remediationId ?? '' });
  expect(ofProposal).toMatchObject({ total: 1, list: [{ id, name: 'Own' }] });
  const inState = async (status: 'review' | 'canceled') =>
    (await manager.listCampaigns({ status, limit: 1000 })).list.some((one) => one.id === id);
  expect([await inState('review'), await inState('canceled')]).toEqual([true, false]);
  expect(await manager.listCampaigns({ remediationId: treeId })).toEqual({ total: 0, list: [] });
  expect(await rejectionOf(manager.approveCampaign({ id, digest }))).toMatchObject({ code: 'FORBIDDEN' });
  await manager.cancelCampaign({ id });
  expect([await inState('review'), await inState('canceled')]).toEqual([false, true]);
  expect(await outcomes(id)).toEqual(['skipped']);
  expect(await rejectionOf(manager.startCampaign({ id }))).toMatchObject({ code: 'CONFLICT' });
  expect(devices[0]?.config.running).toEqual(['hostname edge-r1', 'ip http server']);
});

test.skipIf(!isLong)(
  'a campaign that is canceled while its proposals are made has no proposed device',
  async () => {
    const { treeId, names } = await checked(2);
    // Proposals cannot be stored as long as the table is locked.
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let lock: Promise<void> | undefined;
    await new Promise<void>((locked) => {
      lock = inTransaction(service.db, async (db) => {
        await db.execute(sql`lock table ${remediations} in share mode`);
        locked();
        await released;
      });
    });
    const { id } = await manager.createCampaign({ name: unique('Early'), treeId, selection: { names } });
    const waiting = (least: number) =>
      until(
        'a transaction that waits for a lock',
        async () => {
          const [found] = await rows<{ n: number }>(
            service.db,
            sql`select count(*)::int as n from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock'`,
          );
          return (found?.n ?? 0) >= least || undefined;
        },
        30,
      );
    await waiting(1);
    const canceled = manager.cancelCampaign({ id });
    await Promise.race([canceled, waiting(2)]);
    release();
    await Promise.all([canceled, lock]);
    await until(
      'the end of the work',
      async () => {
        const left = await rows(
          service.db,
          sql`select 1 from dbos.workflow_status
            where workflow_uuid = ${`${id}:0`} and status in ('ENQUEUED', 'PENDING')`,
        );
        return left.length === 0 || undefined;
      },
      30,
    );
    expect(await outcomes(id)).toEqual(['skipped', 'skipped']);
  },
);

test('a selection without devices that have issues is rejected', async () => {
  const { id: treeId } = await manager.createTree({ name: unique('Edge'), deviceType: 'cisco-ios' });
  const none = manager.createCampaign({ name: 'None', treeId, selection: { pattern: '*' } });
  expect((await rejectionOf(none)).issues).toEqual(['selection: selects no device with issues on this tree']);
});

test.skipIf(!isLong)(
  'proposals are made for the selected devices that have issues, from their newest reports',
  async () => {
    const { treeId, names } = await checked(2);
    const propose = (options: object) => manager.proposeRemediations({ options } as never);
    const { data } = await propose({ treeId, selection: { names } });
    expect(data.map(({ deviceName }) => deviceName).sort()).toEqual([...names].sort());
    expect(data[0]?.config).toContain(NTP);
    const issuesOf = async (options: object) => (await rejectionOf(propose(options))).issues;
    expect(await issuesOf({})).toEqual(['options.reportIds: is required, unless a selection is sent']);
    expect(await issuesOf({ selection: { names } })).toEqual([
      'options.treeId: is required with a selection',
    ]);
    expect(await issuesOf({ treeId, reportIds: [data[0]?.reportId], selection: { names } })).toEqual([
      'options.reportIds: cannot be combined with treeId and selection',
    ]);
    const { id: other } = await manager.createTree({ name: unique('Edge'), deviceType: 'cisco-ios' });
    expect(await issuesOf({ treeId: other, selection: { names } })).toEqual([
      'options.selection: selects no device with issues on this tree',
    ]);
  },
);

test.skipIf(!isLong)(
  'a wave whose statements lose their connection, before and after the device is changed, ends as if they had not',
  async () => {
    const { treeId, devices, names } = await checked(1);
    const [first] = devices;
    const { id } = await writer.createCampaign({
      name: unique('Cut'),
      treeId,
      selection: { names },
      removeDisallowed: true,
    });
    const { digest } = await reached(id, 'review');
    await approver.approveCampaign({ id, digest });
    let afterwards: Promise<unknown> | undefined;
    if (!first) throw new Error('there is a device');
    let { running } = first.config;
    Object.defineProperty(first.config, 'running', {
      get: () => running,
      set: (lines: string[]) => {
        running = lines;
        afterwards ??= withCutOn(service.db, 'remediations', async () => undefined);
      },
    });
    await withCutOn(service.db, 'remediations', () => manager.startCampaign({ id }));
    expect(await reached(id, 'stopped', 'complete', 'error')).toMatchObject({ status: 'complete' });
    await afterwards;
    const { list } = await manager.listCampaignDevices({ id });
    expect(list).toMatchObject([{ status: 'applied', reason: 'the result is as predicted' }]);
    const proposal = await manager.getRemediation({ id: list[0]?.remediationId ?? '' });
    expect(proposal).toMatchObject({ status: 'applied', result: { verified: true } });
    expect(first.config.running).toEqual(['hostname edge-r1', NTP]);
  },
);
