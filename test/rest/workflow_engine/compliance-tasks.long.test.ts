import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { NodeDetail } from '#db/schemas/golden-config/golden-tree.ts';
import { openFleet, TEN_LINES, TEN_RULES } from '../../helpers/devices/fleet.ts';
import { done, worldOf } from '../../helpers/jobs/task-runs.ts';

const fleet = await openFleet();
const { caller } = await fleet.callerWith('admin');
let attempts = 0;
const world = (more = {}) => worldOf(fleet, caller.id, { key: `job/a1/1/${attempts++}`, ...more });
const ask = (name: string, incoming: Record<string, unknown>, in_ = world()) =>
  done('ConfigurationManager', name, incoming, in_);

const tree = await fleet.tree(TEN_RULES);
await tree.place('base', ['edge-1', 'edge-2']);
await fleet.backUp({ 'edge-1': TEN_LINES, 'edge-2': TEN_LINES });
const batches = async () => (await fleet.db.execute('select id from compliance_batch')).length;

test('devices are checked against a node, and the task waits for their reports', async () => {
  const { finish, outgoing } = await ask('runCompliance', { treeId: tree.treeId });
  expect(finish).toBe('success');
  const reports = outgoing.reports as { deviceName: string; totals: object }[];
  expect(reports.map(({ deviceName }) => deviceName)).toEqual(['edge-1', 'edge-2']);
  const one = await ask('runCompliance', {
    treeId: tree.treeId,
    nodePath: 'base',
    version: 'initial',
    devices: ['edge-2'],
  });
  expect(one.outgoing.reports).toMatchObject([{ deviceName: 'edge-2' }]);
});

test('an attempt that is repeated resumes the batch that it had started', async () => {
  const same = world();
  const first = await ask('runCompliance', { treeId: tree.treeId }, same);
  const before = await batches();
  const again = await ask('runCompliance', { treeId: tree.treeId }, same);
  expect(again).toEqual(first);
  expect(await batches()).toBe(before);
});

test('a plan is run, and the task waits for its counts', async () => {
  const { attributes } = await fleet.done<NodeDetail>('GET', `/configs/${tree.id}/initial/base`);
  const node = { treeId: tree.treeId, version: 'initial', nodeId: attributes?.configId ?? '' };
  const { id } = await fleet.done<{ id: string }>('POST', '/compliance_plans', {
    name: 'Nightly',
    options: { nodes: [node] },
  });
  const { finish, outgoing } = await ask('runCompliancePlan', { planId: id });
  expect(finish).toBe('success');
  expect(outgoing.result).toMatchObject({
    planId: id,
    jobStatus: 'complete',
    status: 'complete',
    total: 2,
    done: 2,
    errors: 0,
  });
  const { instanceId } = outgoing.response as { instanceId: string };
  const plans = await ask('searchCompliancePlans', { name: '^Night.y$', options: { start: 0, limit: 10 } });
  expect(plans.outgoing.compliancePlans).toMatchObject({ totalCount: 1, plans: [{ id }] });
  for (const searchParams of [{ instanceId }, { planName: 'Nightly', sort: { started: -1 }, limit: 100 }]) {
    const found = await ask('searchCompliancePlanInstances', { searchParams });
    expect(found.outgoing.compliancePlanInstances).toMatchObject({
      plans: [{ id: instanceId, jobStatus: 'complete' }],
    });
    const { plans: runs } = found.outgoing.compliancePlanInstances as { plans: { batchId: string }[] };
    const reports = await ask('getComplianceReportsByBatch', { batchId: runs[0]?.batchId });
    expect(reports.outgoing.complianceHistory).toMatchObject([
      { deviceName: 'edge-1' },
      { deviceName: 'edge-2' },
    ]);
  }
});

test('a name that no plan has finds no runs', async () => {
  const found = await ask('searchCompliancePlanInstances', { searchParams: { planName: 'None' } });
  expect(found.outgoing.compliancePlanInstances).toMatchObject({ totalCount: 0, plans: [] });
});

test('devices are listed by page and filter, and a filter by an unknown field is named', async () => {
  const page = await ask('getDevicesFiltered', { options: { start: 0, limit: 1 } });
  expect(page.outgoing.devices).toMatchObject({ total: expect.any(Number), list: expect.any(Array) });
  const none = await ask('getDevicesFiltered', { options: { filter: { name: 'no-such-device' } } });
  expect(none.outgoing.devices).toMatchObject({ total: 0, list: [] });
  const wrong = await ask('getDevicesFiltered', { options: { filter: { colour: 'red' } } });
  expect(wrong).toMatchObject({ finish: 'error', error: { message: expect.stringContaining('colour') } });
});

test.each([
  ['runCompliance', {}, 'treeId is missing'],
  ['runCompliance', { treeId: '65f0c1d2e3a4b5c6d7e8f901' }, 'does not exist'],
  ['runCompliance', { treeId: tree.treeId, devices: [5] }, 'devices.0 must be the name of a device'],
  ['runCompliance', { treeId: tree.treeId, nodePath: 'base/none' }, 'none'],
  ['runCompliancePlan', { planId: '65f0c1d2e3a4b5c6d7e8f901' }, 'does not exist'],
  ['searchCompliancePlans', { name: '(' }, 'name'],
  ['searchCompliancePlanInstances', { searchParams: { colour: 'red' } }, 'colour'],
])('%s of a missing document ends in error: %#', async (name, incoming, message) => {
  const { finish, error } = await ask(name, incoming);
  expect(finish).toBe('error');
  expect(error?.message).toContain(message);
});

test('a job that is canceled stops the batch that it waits for', async () => {
  // Nobody takes up work here: the batch would run for ever.
  const idle = await openFleet(false);
  const lone = await idle.tree(TEN_RULES);
  await lone.place('base', ['edge-1']);
  const account = (await idle.callerWith('admin')).caller.id;
  const controller = new AbortController();
  const waiting = worldOf(idle, account, { key: 'job/a1/1/1', signal: controller.signal });
  const running = ask('runCompliance', { treeId: lone.treeId }, waiting);
  const found = () => idle.db.execute('select status from compliance_batch');
  while ((await found()).length === 0) await sleep(10);
  controller.abort();
  expect(await running).toMatchObject({ finish: 'error', error: { reason: 'CANCELED' } });
  expect(await found()).toMatchObject([{ status: 'canceled' }]);
});

test('all nodes of a tree are checked: reports have scores, and devices that could not be checked are listed separately', async () => {
  const whole = await fleet.tree(TEN_RULES);
  await whole.place('base', ['edge-1', 'edge-without-a-backup']);
  const { finish, outgoing } = await ask('runComplianceForTree', {
    treeId: whole.treeId,
    version: 'initial',
    variables: '',
    grading: '',
  });
  expect(finish).toBe('success');
  const { reports, erroredDevices } = outgoing.runComplianceBatchResult as {
    reports: { deviceName: string; reportId: string; score: number }[];
    erroredDevices: unknown[];
  };
  expect(reports).toMatchObject([{ deviceName: 'edge-1', score: expect.any(Number) }]);
  expect(erroredDevices).toMatchObject([
    { deviceName: 'edge-without-a-backup', reason: expect.stringMatching(/./) },
  ]);
  const reportId = reports[0]?.reportId;
  const detail = await ask('getComplianceReportDetail', { reportId });
  expect(detail.outgoing.complianceReportDetail).toMatchObject({ id: reportId, issues: expect.any(Array) });
  const graded = await fleet.done<{ score: number }>('POST', `/compliance_reports/grade/single`, {
    reportId,
  });
  expect(reports[0]?.score).toBe(graded.score);
  const heavier = await ask('runComplianceForTree', {
    treeId: whole.treeId,
    grading: { weights: { error: 0, warning: 0, info: 0 } },
  });
  expect(heavier.outgoing.runComplianceBatchResult).toMatchObject({
    reports: [{ score: 100, grade: 'pass' }],
  });
  const wrong = await ask('runComplianceForTree', {
    treeId: whole.treeId,
    grading: { weights: { error: 'x' } },
  });
  expect(wrong.error?.message).toBe('grading.weights.error must be a number, but is a string');
});

test('trees and backups are read as far as the account of the job may see them', async () => {
  const { outgoing } = await ask('getGoldenConfigTrees', {});
  expect(outgoing.goldenConfigTrees).toEqual(
    expect.arrayContaining([expect.objectContaining({ id: tree.treeId, name: expect.any(String) })]),
  );
  const [found] = await fleet.db.execute<{ id: string }>(`select id from backups where name = 'edge-1'`);
  const { outgoing: read } = await ask('getDeviceBackupById', { id: found?.id });
  expect(read.backup).toMatchObject({ id: found?.id, name: 'edge-1', rawConfig: TEN_LINES });
  const missing = await ask('getDeviceBackupById', { id: '65f0c1d2e3a4b5c6d7e8f901' });
  expect(missing).toMatchObject({ finish: 'error', error: { code: 'NOT_FOUND' } });
});
