import { expect, test } from 'vitest';
import { newId } from '#db/ids.ts';
import type { ComplianceCoverage, TopIssue, TrendDay } from '#db/schemas/golden-config/compliance-report.ts';
import type { DeviceState } from '#db/schemas/network/device.ts';
import { findingOf } from '#server/domains/golden-config/compliance/reports/finding.service.ts';
import { issuesOf } from '../../helpers/configuration.ts';
import { issue } from '../../helpers/documents/reports.ts';
import { hoursAgo, openTreeReports } from '../../helpers/documents/tree-reports.ts';
import { cliHost } from '../../helpers/gateway.ts';

const { done, send, call, groupOf, treeWith, store } = await openTreeReports();

const addHosts = async (...hosts: Record<string, unknown>[]) => {
  const answer = await call('admin', 'POST', '/automationgateway/inventory/cli/import', { hosts });
  expect((answer.json as { data: { success: boolean }[] }).data.every(({ success }) => success)).toBe(true);
};
const statesOf = (devices: readonly string[], as: 'admin' | 'apiread' = 'admin') =>
  done<DeviceState[]>('POST', '/devices/states', { devices }, { as });

test('devices have their newest backup and the grade of their newest complete report, in the order asked for', async () => {
  await addHosts(cliHost({ name: 'state-1' }), cliHost({ name: 'state-2' }));
  await done('POST', '/import/backups', {
    backups: [
      { name: 'state-1', rawConfig: 'hostname a\n', date: '2026-02-03T04:05:06.000Z' },
      {
        name: 'state-1',
        rawConfig: 'hostname b\n',
        date: '2026-02-04T04:05:06.000Z',
        lastSeen: '2026-02-09T04:05:06.000Z',
      },
    ],
  });
  const { treeId, stored } = await treeWith(
    { deviceName: 'state-1', timestamp: hoursAgo(9), totals: [0, 0, 0, 1] },
    { deviceName: 'state-1', timestamp: hoursAgo(5), totals: [1, 0, 0, 2], nodePath: 'base/x' },
  );
  await store(treeId, {
    deviceName: 'state-1',
    timestamp: hoursAgo(1),
    status: 'error',
    error: 'no configuration',
    findings: null,
    totals: [0, 0, 0, 0],
  });
  const states = await statesOf(['state-2', 'nowhere', 'state-1'], 'apiread');
  expect(states).toEqual([
    { name: 'state-2', lastBackup: null, lastReport: null },
    { name: 'nowhere', lastBackup: null, lastReport: null },
    {
      name: 'state-1',
      lastBackup: { id: expect.any(String), date: '2026-02-09T04:05:06.000Z' },
      lastReport: {
        id: stored[1]?.id,
        date: stored[1]?.timestamp.toISOString(),
        treeId,
        version: 'initial',
        nodePath: 'base/x',
        grade: 'fail',
        score: 50,
      },
    },
  ]);
});

test('a caller sees neither state of a device that is closed to it, nor grades of a closed tree', async () => {
  const group = await groupOf(['admin']);
  const gbac = { read: [group], write: [group] };
  await addHosts(cliHost({ name: 'closed-1', gbac }), cliHost({ name: 'open-1' }));
  const { treeId } = await treeWith({ deviceName: 'closed-1' }, { deviceName: 'open-1' });
  const reported = async (as: 'admin' | 'apiread') =>
    (await statesOf(['closed-1', 'open-1'], as)).map(({ lastReport }) => lastReport !== null);
  expect(await reported('admin')).toEqual([true, true]);
  expect(await reported('apiread')).toEqual([false, true]);
  await done('PUT', `/configs/${treeId}`, { options: { gbac } });
  expect(await reported('apiread')).toEqual([false, false]);
});

test('the number and the names of the devices are limited', async () => {
  const rejected = await send('POST', '/devices/states', {
    devices: Array.from({ length: 1001 }, () => 'a'),
  });
  expect([rejected.status, issuesOf(rejected)]).toEqual([400, [expect.stringContaining('devices')]]);
  expect((await send('POST', '/devices/states', {})).status).toBe(400);
});

test('trend, top issues and coverage are narrowed to a device group, listed or selected', async () => {
  const often = issue(`rule ${newId()}`);
  await addHosts(cliHost({ name: 'part-1', tags: ['part'] }), cliHost({ name: 'part-2', tags: ['part'] }));
  const { treeId } = await treeWith(
    ...['part-1', 'part-2', 'whole-1'].map((deviceName, at) => ({
      deviceName,
      timestamp: hoursAgo(1),
      totals: [at === 0 ? 1 : 0, 0, 0, 2] as const,
      findings: findingOf(at === 0 ? [often] : [], []),
    })),
  );
  const make = async (group: object) =>
    (await done<{ id: string }>('POST', '/devicegroup', { groupName: `group ${newId()}`, ...group })).id;
  const listed = await make({ deviceNames: 'part-1,part-2' });
  const selected = await make({ selection: { tags: ['part'] } });
  const other = await make({ deviceNames: 'whole-1' });
  const trendOf = async (group: string) =>
    (await done<TrendDay[]>('GET', `/compliance_reports/trend?treeId=${treeId}${group}`)).map(
      ({ devices, pass, fail }) => ({ devices, pass, fail }),
    );
  const issuesIn = async (group: object) =>
    (await done<TopIssue[]>('POST', '/compliance_reports/topissues', { treeId, ...group })).length;
  expect(await trendOf('')).toEqual([{ devices: 3, pass: 2, fail: 1 }]);
  expect(await issuesIn({})).toBe(1);
  for (const deviceGroupId of [listed, selected]) {
    expect(await trendOf(`&deviceGroupId=${deviceGroupId}`)).toEqual([{ devices: 2, pass: 1, fail: 1 }]);
    expect(await issuesIn({ deviceGroupId })).toBe(1);
    const coverage = await done<ComplianceCoverage>(
      'GET',
      `/compliance_reports/coverage?treeId=${treeId}&version=initial&deviceGroupId=${deviceGroupId}`,
    );
    expect(coverage.grades).toEqual({ pass: 1, review: 0, fail: 1 });
  }
  expect(await trendOf(`&deviceGroupId=${other}`)).toEqual([{ devices: 1, pass: 1, fail: 0 }]);
  expect(await issuesIn({ deviceGroupId: other })).toBe(0);
  expect(await trendOf(`&deviceGroupId=${newId()}`)).toEqual([]);
});
