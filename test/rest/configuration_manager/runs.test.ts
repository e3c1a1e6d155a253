import { expect, test } from 'vitest';
import type { Report } from '#db/schemas/golden-config/compliance-report.ts';
import { openFleet, TEN_LINES, TEN_RULES } from '../../helpers/devices/fleet.ts';
import { isLong } from '../../helpers/long.ts';

const fleet = await openFleet();
const { backUp, done, ended, reports, run, send, start, tree } = fleet;

const NOBODY = '65a000000000000000000000';
const byDevice = (found: Report[]) => Object.fromEntries(found.map((report) => [report.deviceName, report]));

test('a run is accepted immediately, and the report of a device that misses one error and two warnings grades 63.64, fail', async () => {
  const { at, place, treeId } = await tree(TEN_RULES);
  await place('base', ['ten-1']);
  await backUp({ 'ten-1': TEN_LINES });
  const answer = await send('POST', '/compliance_reports', { options: at('base') });
  expect(answer.status).toBe(200);
  const { batchId } = answer.json as { batchId: string };
  expect(answer.json).toEqual({ status: 202, message: `compliance batch ${batchId} started`, batchId });

  expect(await ended(batchId)).toMatchObject({ status: 'complete', total: 1, done: 1, errors: 0 });
  const [report] = await reports(batchId);
  expect(report).toMatchObject({
    batchId,
    treeId,
    nodePath: 'base',
    deviceName: 'ten-1',
    deviceType: 'cisco-ios',
    status: 'complete',
    totals: { errors: 1, warnings: 2, infos: 0, passes: 7 },
    evaluated: 10,
    inheritedSpecIds: [],
  });
  expect(report?.issues.map(({ severity, type, message }) => [severity, type, message])).toEqual([
    ['error', 'required', 'Required line is missing: ntp server 192.0.2.9'],
    ['warning', 'required', 'Required line is missing: logging host 192.0.2.8'],
    ['warning', 'disallowed', 'Disallowed line is present: ip http server'],
  ]);
  expect(
    await done('POST', '/compliance_reports/grade', { treeId, version: 'initial', options: {} }),
  ).toMatchObject([
    { grade: 'pass', total: 0 },
    { grade: 'review', total: 0 },
    { grade: 'fail', total: 1, records: [{ deviceName: 'ten-1', score: 63.64, reportId: report?.id }] },
  ]);
});

test('a device is checked with the rules of its node and of those above, and of two rules for a line the deeper one applies', async () => {
  const { at, child, place, rules } = await tree('ntp server 192.0.2.9\n{d/}ip http server\n');
  await child('base', 'lab');
  await rules('base/lab', '<i/>ip http server\n<e/>logging host 192.0.2.8\n');
  await place('base/lab', ['lab-1']);
  await backUp({ 'lab-1': 'ip http server\n' });
  const [report] = await run(at('base/lab'));
  expect(report).toMatchObject({
    nodePath: 'base/lab',
    totals: { errors: 1, warnings: 1, infos: 0, passes: 1 },
  });
  expect(report?.inheritedSpecIds).toHaveLength(1);
  expect(report?.issues.map(({ specId }) => specId)).toEqual([report?.inheritedSpecIds[0], report?.specId]);
});

test('lines that must be in order are reported when they are not', async () => {
  const { at, place } = await tree(
    '{llo/}ip access-list extended IN\n permit ip host 192.0.2.1 any\n deny ip any any\n',
  );
  await place('base', ['order-1', 'order-2']);
  await backUp({
    'order-1': 'ip access-list extended IN\n permit ip host 192.0.2.1 any\n deny ip any any\n',
    'order-2': 'ip access-list extended IN\n deny ip any any\n permit ip host 192.0.2.1 any\n',
  });
  const found = byDevice(await run(at('base')));
  expect(found['order-1']?.issues).toEqual([]);
  expect(found['order-2']?.issues.map(({ type }) => type)).toEqual(['ordering']);
});

test('a device that cannot be checked gets a report with the reason, and the others continue', async () => {
  const { at, place } = await tree('hostname {/.+/}\n');
  await place('base', ['good-1', 'bare-1', 'good-2']);
  await backUp({ 'good-1': 'hostname good-1\n', 'good-2': 'hostname good-2\n' });
  const batchId = await start(at('base'));
  expect(await ended(batchId)).toMatchObject({ status: 'complete', total: 3, done: 3, errors: 1 });
  const found = byDevice(await reports(batchId));
  expect(found['bare-1']).toMatchObject({
    status: 'error',
    error: 'device bare-1 has no backup, and it is not in an inventory',
    totals: { errors: 0, warnings: 0, infos: 0, passes: 0 },
    issues: [],
  });
  expect(found['good-2']).toMatchObject({ status: 'complete', totals: { passes: 1 } });
});

test('a deleted variable makes reports that name it', async () => {
  const { at, place, treeId } = await tree('ntp server {{ ntp }}\n', { ntp: '192.0.2.9' });
  await place('base', ['var-1']);
  await backUp({ 'var-1': 'ntp server 192.0.2.9\n' });
  const [before] = await run(at('base'));
  expect(before).toMatchObject({
    totals: { passes: 1 },
    variables: [{ name: 'ntp', type: 'literal', value: '192.0.2.9' }],
  });
  await done('PUT', `/configs/${treeId}/initial`, { variables: {} });
  const [after] = await run(at('base'));
  expect(after).toMatchObject({
    status: 'error',
    error: 'the template of node base: ntp is undefined (line 1, column 15)',
  });
  const [again] = await run({ ...at('base'), variables: { ntp: '192.0.2.7' } });
  expect(again?.issues.map(({ message }) => message)).toEqual([
    'Required line is missing: ntp server 192.0.2.7',
  ]);
});

test('rules may use variables of the device that is checked', async () => {
  const { at, place } = await tree('hostname {{ device.name }}\n', { device: { name: 'sample' } });
  await place('base', ['self-1', 'self-2']);
  await backUp({ 'self-1': 'hostname self-1\n', 'self-2': 'hostname self-1\n' });
  const found = byDevice(await run(at('base')));
  expect(found['self-1']).toMatchObject({ totals: { passes: 1 } });
  expect(found['self-2']?.issues.map(({ message }) => message)).toEqual([
    'Required line is missing: hostname self-2',
  ]);
});

test.skipIf(!isLong)(
  'devices may be named, nodes below are included on request, and each device is checked at its own node',
  async () => {
    const { at, child, place } = await tree('hostname {/.+/}\n');
    await child('base', 'north');
    await place('base', ['tree-1']);
    await place('base/north', ['tree-2', 'tree-3']);
    await backUp(
      Object.fromEntries(['tree-1', 'tree-2', 'tree-3', 'guest-1'].map((name) => [name, 'hostname x\n'])),
    );
    const places = async (more: Record<string, unknown>) =>
      (await run({ ...at('base'), ...more }))
        .map(({ deviceName, nodePath }) => `${deviceName} at ${nodePath}`)
        .sort();
    expect(await places({})).toEqual(['tree-1 at base']);
    expect(await places({ children: true })).toEqual([
      'tree-1 at base',
      'tree-2 at base/north',
      'tree-3 at base/north',
    ]);
    expect(await places({ children: true, devices: ['tree-3', 'guest-1'] })).toEqual([
      'guest-1 at base',
      'tree-3 at base/north',
    ]);
  },
);

test('a node without devices makes a batch that is complete immediately', async () => {
  const { at } = await tree('hostname {/.+/}\n');
  const batchId = await start(at('base'));
  expect(await fleet.status(batchId)).toMatchObject({ status: 'complete', total: 0, done: 0 });
});

test('a device is checked by its newest backup', async () => {
  const { at, place } = await tree('hostname {/.+/}\n');
  await place('base', ['new-1']);
  await backUp({ 'new-1': 'hostname new-1\n' }, '2026-03-01T00:00:00.000Z');
  await backUp({ 'new-1': 'no hostname\n' }, '2026-02-01T00:00:00.000Z');
  const [report] = await run(at('base'));
  expect(report?.totals).toMatchObject({ passes: 1, warnings: 0 });
});

test.skipIf(!isLong)(
  'an unchanged configuration is not evaluated again and yields the same report',
  async () => {
    const { at, place, rules } = await tree('ntp server 192.0.2.9\n');
    await place('base', ['same-1']);
    await backUp({ 'same-1': 'hostname same-1\n' });
    const [first] = await run(at('base'));
    const [second] = await run(at('base'));
    expect(second?.id).not.toBe(first?.id);
    expect({ ...second, id: '', _id: '', batchId: '', timestamp: '' }).toEqual({
      ...first,
      id: '',
      _id: '',
      batchId: '',
      timestamp: '',
    });
    await rules('base', 'hostname same-1\n');
    const [third] = await run(at('base'));
    expect(third?.totals).toMatchObject({ passes: 1, warnings: 0 });
  },
);

test('a run over backups has a report for each, also of one device', async () => {
  const { at } = await tree('ntp server 192.0.2.9\n');
  const ids = ['65a0000000000000000000e1', '65a0000000000000000000e2', '65a0000000000000000000e3'];
  await done('POST', '/import/backups', {
    backups: [
      { id: ids[0], name: 'past-1', rawConfig: 'hostname past-1\n', date: '2026-01-01T00:00:00.000Z' },
      { id: ids[1], name: 'past-1', rawConfig: 'ntp server 192.0.2.9\n', date: '2026-01-02T00:00:00.000Z' },
      { id: ids[2], name: 'past-2', rawConfig: 'ntp server 192.0.2.9\n', date: '2026-01-02T00:00:00.000Z' },
    ],
  });
  const { batchId } = await done<{ batchId: string }>('POST', '/compliance_reports/backups', {
    treeInfo: at('base'),
    backupIds: ids,
  });
  expect(await ended(batchId)).toMatchObject({ status: 'complete', total: 3, done: 3, errors: 0 });
  const found = await reports(batchId);
  expect(found.map(({ backupId, totals }) => [backupId, totals.passes]).sort()).toEqual([
    [ids[0], 0],
    [ids[1], 1],
    [ids[2], 1],
  ]);
  // of one moment, the newest backup is the state of the device
  const [passed] = await done<{ devices: string[] }[]>('POST', '/compliance_reports/grade', {
    ...at('base'),
    nodePath: undefined,
    options: {},
  });
  expect(passed?.devices.sort()).toEqual(['past-1', 'past-2']);
});

test('a text can be checked without storing anything', async () => {
  const { at, treeId } = await tree(TEN_RULES);
  const report = await done<Report>(
    'POST',
    '/compliance_reports/config',
    { options: { ...at('/base/'), deviceName: 'dry-1', configuration: TEN_LINES } },
    { as: 'apiread' },
  );
  expect(report).toMatchObject({
    batchId: null,
    deviceName: 'dry-1',
    nodePath: 'base',
    status: 'complete',
    totals: { errors: 1, warnings: 2, infos: 0, passes: 7 },
  });
  expect(report.issues).toHaveLength(3);
  expect(await done('GET', `/compliance_reports?treeId=${treeId}`)).toEqual([]);
});

test('a missing document in a run is rejected by its name', async () => {
  const { at } = await tree('hostname x\n');
  const rejection = async (path: string, body: unknown) => {
    const { status, json } = await send('POST', `/compliance_reports${path}`, body);
    return [status, (json as { message: string }).message];
  };
  expect(await rejection('', { options: { ...at('base'), treeId: NOBODY } })).toEqual([
    404,
    `Golden configuration tree ${NOBODY} does not exist`,
  ]);
  expect(await rejection('', { options: { ...at('base'), version: 'v9' } })).toEqual([
    404,
    'Version v9 does not exist',
  ]);
  expect(await rejection('', { options: at('base/none') })).toEqual([404, 'Node base/none does not exist']);
  expect(await rejection('/backups', { treeInfo: at('base'), backupIds: [NOBODY] })).toEqual([
    404,
    `Backup ${NOBODY} does not exist`,
  ]);
  expect(await rejection(`/batch/${NOBODY}/cancel`, {})).toEqual([
    404,
    `Compliance batch ${NOBODY} does not exist`,
  ]);
});

test.skipIf(!isLong)(
  'a large fleet is checked in pieces by threads, and every device has one report',
  async () => {
    const { at, place } = await tree('hostname {/big-\\d+/}\n<e/>ntp server 192.0.2.9\n');
    const names = Array.from({ length: 620 }, (_, n) => `big-${n}`);
    await place('base', names);
    await backUp(
      Object.fromEntries(
        names.map((name, n) => [name, `hostname ${name}\n${n % 3 === 0 ? '' : 'ntp server 192.0.2.9\n'}`]),
      ),
    );
    const batchId = await start(at('base'));
    expect(await ended(batchId)).toMatchObject({ status: 'complete', total: 620, done: 620, errors: 0 });
    const found = await fleet.headers(batchId);
    expect(new Set(found.map(({ deviceName }) => deviceName)).size).toBe(620);
    expect(found.filter(({ totals }) => totals.errors === 1)).toHaveLength(207);
  },
);

test('a backup that the caller may not read is missing for the run', async () => {
  const { at, place } = await tree('hostname x\n');
  await place('base', ['closed-1']);
  const group = await fleet.groupOf(['support']);
  await done('POST', '/import/backups', {
    backups: [{ name: 'closed-1', rawConfig: 'hostname x\n', gbac: { read: [group], write: [group] } }],
  });
  const { batchId } = await done<{ batchId: string }>(
    'POST',
    '/compliance_reports',
    { options: at('base') },
    { as: 'apiwrite' },
  );
  await ended(batchId);
  expect(await reports(batchId)).toMatchObject([
    { status: 'error', error: 'device closed-1 has no backup, and it is not in an inventory' },
  ]);
});

test('a backup without an access list is missing for the run of a caller for whom such backups are hidden', async () => {
  const { at, place, treeId } = await tree('hostname x\n');
  await place('base', ['unlisted-1']);
  await backUp({ 'unlisted-1': 'hostname x\n' });
  const group = await fleet.groupOf(['apiwrite']);
  await done('PUT', `/configs/${treeId}`, { options: { gbac: { read: [group], write: [group] } } });
  const decide = (unlisted: string) =>
    fleet.service('admin', 'PUT', '/authorization/access_default', { unlisted });
  expect((await decide('administrators')).status).toBe(200);
  try {
    const { batchId } = await done<{ batchId: string }>(
      'POST',
      '/compliance_reports',
      { options: at('base') },
      { as: 'apiwrite' },
    );
    await ended(batchId);
    expect(await reports(batchId)).toMatchObject([
      { status: 'error', error: expect.stringContaining('device unlisted-1 has no backup') },
    ]);
  } finally {
    await decide('readers');
  }
});

test('a batch that has ended cannot be canceled', async () => {
  const { at } = await tree('hostname x\n');
  const batchId = await start(at('base'));
  const { status, json } = await send('POST', `/compliance_reports/batch/${batchId}/cancel`);
  expect([status, (json as { message: string }).message]).toEqual([
    409,
    `Compliance batch ${batchId} has already finished: its status is complete`,
  ]);
});
