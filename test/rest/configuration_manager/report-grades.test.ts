import { expect, test } from 'vitest';
import { newId } from '#db/ids.ts';
import type {
  ComplianceCoverage,
  ComplianceMatrix,
  ComplianceSummary,
  TopIssue,
  TrendDay,
} from '#db/schemas/golden-config/compliance-report.ts';
import { findingOf } from '#server/domains/golden-config/compliance/reports/finding.service.ts';
import { storeReports } from '#server/domains/golden-config/compliance/reports/store-reports.service.ts';
import { issuesOf } from '../../helpers/configuration.ts';
import { failedReport, issue, newReport } from '../../helpers/documents/reports.ts';
import { hoursAgo, openTreeReports, shown } from '../../helpers/documents/tree-reports.ts';

const { db, send, done, treeWith, grade, historyOf } = await openTreeReports();

test('grading always returns three groups, the best scores first, then by device', async () => {
  const { treeId } = await treeWith(
    { deviceName: 'c', totals: [0, 0, 0, 10] },
    { deviceName: 'b', totals: [0, 0, 0, 3] },
    { deviceName: 'B', totals: [0, 0, 0, 1] },
    { deviceName: 'd', totals: [1, 0, 0, 18] },
    { deviceName: 'e', totals: [0, 2, 2, 12] },
    { deviceName: 'f', totals: [1, 2, 0, 7] },
    { deviceName: 'g', totals: [0, 0, 0, 0] },
  );
  const groups = await grade(treeId);
  expect(groups.map(({ grade: of, total, devices }) => [of, total, devices])).toEqual([
    ['pass', 5, ['B', 'b', 'c', 'g', 'd']],
    ['review', 1, ['e']],
    ['fail', 1, ['f']],
  ]);
  expect(shown(groups).slice(-3)).toEqual([
    ['d', 90, 'pass'],
    ['e', 80, 'review'],
    ['f', 63.64, 'fail'],
  ]);
  expect(await grade(treeId, {}, '/grade/read')).toEqual(groups);
});

test('a record names report, node and moment; a tree without reports has three empty groups', async () => {
  const timestamp = new Date(hoursAgo(1).setMilliseconds(7));
  const { treeId, stored } = await treeWith({ nodePath: 'base/access', timestamp });
  const [pass] = await grade(treeId);
  expect(pass).toEqual({
    grade: 'pass',
    total: 1,
    devices: ['edge-1'],
    records: [
      {
        deviceName: 'edge-1',
        reportId: stored[0]?.id,
        nodePath: 'base/access',
        timestamp: timestamp.toISOString(),
        score: 100,
        grade: 'pass',
      },
    ],
  });
  const empty = await treeWith();
  expect(await grade(empty.treeId)).toEqual(
    ['pass', 'review', 'fail'].map((of) => ({ grade: of, total: 0, devices: [], records: [] })),
  );
});

test('a device counts once, by its newest report, also when it moved to another node', async () => {
  const { treeId } = await treeWith(
    { nodePath: 'base/a', timestamp: hoursAgo(3), totals: [1, 0, 0, 1] },
    { nodePath: 'base/b', timestamp: hoursAgo(1), totals: [0, 0, 0, 1] },
    { nodePath: 'base/b', timestamp: hoursAgo(2), totals: [5, 0, 0, 1] },
  );
  expect(shown(await grade(treeId))).toEqual([['edge-1', 100, 'pass']]);
  expect(shown(await grade(treeId, { nodePath: 'base/a' }))).toEqual([['edge-1', 33.33, 'fail']]);
});

test('a device that could not be checked keeps the grade of its last complete report', async () => {
  const { treeId } = await treeWith({ timestamp: hoursAgo(1), totals: [1, 0, 0, 2] });
  await storeReports(db, [failedReport({ treeId }), failedReport({ treeId, deviceName: 'edge-2' })]);
  expect(shown(await grade(treeId))).toEqual([['edge-1', 50, 'fail']]);
});

test('a node path means that node and those below, letter by letter', async () => {
  const paths = [
    'base',
    'base/a',
    'base/a/x',
    'base/ab',
    'base/a_b',
    'base/a%b',
    'base/a_b/x',
    'base/a-b',
    'base/a0',
    'bas',
  ];
  const { treeId } = await treeWith(...paths.map((nodePath) => ({ nodePath, deviceName: nodePath })));
  const at = async (nodePath: string) => {
    const groups = await grade(treeId, { nodePath });
    const graded = groups.flatMap(({ devices }) => devices).sort();
    const listed = await historyOf({ treeId, nodePath });
    expect(listed.map((one) => one.deviceName).sort()).toEqual(graded);
    return graded;
  };
  expect(await at('base/a')).toEqual(['base/a', 'base/a/x']);
  expect(await at('/base/a/')).toEqual(['base/a', 'base/a/x']);
  expect(await at('base/a_b')).toEqual(['base/a_b', 'base/a_b/x']);
  expect(await at('base/a%b')).toEqual(['base/a%b']);
  expect(await at('base/%')).toEqual([]);
  expect(await at('base')).toHaveLength(9);
  expect(await at('')).toHaveLength(10);
});

test('weights and benchmarks of the request count; fields that are missing or null have their defaults', async () => {
  const { treeId } = await treeWith({ totals: [1, 0, 0, 2] });
  expect(shown(await grade(treeId, { weights: { error: 0 } }))).toEqual([['edge-1', 100, 'pass']]);
  expect(shown(await grade(treeId, { benchmarks: { pass: 60, review: 40 } }))).toEqual([
    ['edge-1', 50, 'review'],
  ]);
  expect(shown(await grade(treeId, { benchmarks: { pass: 50 } }))).toEqual([['edge-1', 50, 'pass']]);
  expect(shown(await grade(treeId, { weights: { error: -3 } }))).toEqual([['edge-1', 0, 'fail']]);
  expect(shown(await grade(treeId, { weights: { error: 1e308, warning: -1e308 } }))).toEqual([
    ['edge-1', 0, 'fail'],
  ]);
  expect(shown(await grade(treeId, { weights: { error: null }, benchmarks: null, nodePath: null }))).toEqual([
    ['edge-1', 50, 'fail'],
  ]);
});

test('an unknown tree or version is not found, and named; wrong fields are rejected, all of them', async () => {
  const { treeId } = await treeWith();
  for (const [path, body] of [
    ['/grade', { options: {} }],
    ['/grade/read', { options: {} }],
    ['/grade/history', { nodePath: 'base', deviceName: 'edge-1' }],
    ['/query/history', { nodePath: 'base', filter: { deviceName: 'edge-1' } }],
  ] as const) {
    const unknown = newId();
    const noTree = await send('POST', `/compliance_reports${path}`, {
      treeId: unknown,
      version: 'initial',
      ...body,
    });
    expect(noTree).toMatchObject({ status: 404, json: { message: expect.stringContaining(unknown) } });
    const noVersion = await send('POST', `/compliance_reports${path}`, { treeId, version: 'v9', ...body });
    expect(noVersion).toMatchObject({ status: 404, json: { message: 'Version v9 does not exist' } });
  }
  const rejected = await send('POST', '/compliance_reports/grade', {
    treeId: 'not-an-id',
    version: 1,
    options: { weights: { error: '5', other: 1 }, nodePath: ['base'] },
    more: 1,
  });
  expect(rejected.status).toBe(400);
  expect(issuesOf(rejected).map((one) => one.split(':')[0])).toEqual(
    expect.arrayContaining(['treeId', 'version', 'options.weights.error', 'options.nodePath']),
  );
  expect((await send('POST', '/compliance_reports/grade', { treeId, version: 'initial' })).status).toBe(400);
});

test('a tree and a node are summed up by the newest report of each device', async () => {
  const { treeId } = await treeWith(
    { deviceName: 'a', timestamp: hoursAgo(1), totals: [9, 9, 9, 9] },
    { deviceName: 'a', totals: [1, 2, 0, 3] },
    { deviceName: 'b', nodePath: 'base/x y', totals: [0, 1, 4, 5] },
    { deviceName: 'c', nodePath: 'base/x y/z', totals: [0, 0, 0, 6] },
    { deviceName: 'd', version: 'gone', totals: [0, 0, 1, 0] },
  );
  const sum = { treeId, nodePath: '', error: 1, warning: 3, info: 4, pass: 14 };
  const devices = {
    errorDevices: 1,
    warningDevices: 2,
    infoDevices: 1,
    compliantDevices: 1,
    totalDevices: 3,
  };
  const at = (path: string) => done<ComplianceSummary>('GET', `/compliance_reports/${path}`);
  expect(await at(`tree/${treeId}?version=initial`)).toEqual({ ...sum, ...devices });
  expect(await at(`tree/${treeId}`)).toMatchObject({ info: 5, totalDevices: 4 });
  expect(await at(`node/${treeId}/base/x%20y?version=initial`)).toMatchObject({
    nodePath: 'base/x y',
    pass: 11,
    totalDevices: 2,
    compliantDevices: 1,
  });
  // there is a node base, and no node of another name that has reports
  expect(await at(`node/${(await treeWith()).treeId}/base`)).toMatchObject({ totalDevices: 0, pass: 0 });
  for (const path of [`node/${treeId}/nowhere`, `tree/${newId()}`, `tree/${treeId}?version=v9`]) {
    expect((await send('GET', `/compliance_reports/${path}`)).status).toBe(404);
  }
});

test('the rules violated most often are listed with the numbers of violations and of devices', async () => {
  const found = (...issues: ReturnType<typeof issue>[]) => ({ findings: findingOf(issues, []) });
  const name = `rule ${newId()}`;
  const often = issue(`${name} often`);
  const twice = issue(`${name} twice`, { severity: 'warning', type: 'ordering' });
  const { treeId } = await treeWith(
    { deviceName: 'a', ...found(often, twice, twice) },
    { deviceName: 'b', ...found(often, twice, twice) },
    { deviceName: 'c', ...found(often, issue(`${name} rare`)) },
    { deviceName: 'd', timestamp: hoursAgo(5), ...found(often) },
    { deviceName: 'd', ...found() },
  );
  const ask = (body: object) => done<TopIssue[]>('POST', '/compliance_reports/topissues', body);
  expect(await ask({ treeId })).toEqual([
    {
      message: `${name} twice`,
      severity: 'warning',
      type: 'ordering',
      spec: twice.spec,
      count: 4,
      devices: 2,
      deviceNames: ['a', 'b'],
    },
    {
      message: `${name} often`,
      severity: 'error',
      type: 'required',
      spec: often.spec,
      count: 3,
      devices: 3,
      deviceNames: ['a', 'b', 'c'],
    },
    expect.objectContaining({ message: `${name} rare`, count: 1, devices: 1 }),
  ]);
  expect(await ask({ treeId, version: 'initial', nodePath: 'base', limit: 1 })).toHaveLength(1);
  expect(await ask({ treeId, nodePath: 'base/none' })).toEqual([]);
  // without a tree, a device counts once however many trees it is checked against
  await storeReports(db, [
    newReport({ treeId: (await treeWith()).treeId, deviceName: 'a', ...found(often) }),
  ]);
  const everywhere = (await ask({ limit: 1000 })).find(({ message }) => message === often.message);
  expect(everywhere).toMatchObject({ count: 4, devices: 3 });
  expect((await send('POST', '/compliance_reports/topissues', { treeId: newId() })).status).toBe(404);
});

test('top issues name the devices that violate a rule, page by page', async () => {
  const often = issue(`rule ${newId()}`);
  const { treeId } = await treeWith(
    ...['a', 'b', 'c', 'd'].map((deviceName) => ({ deviceName, findings: findingOf([often], []) })),
  );
  const namesOf = async (page: object) => {
    const [top] = await done<TopIssue[]>('POST', '/compliance_reports/topissues', { treeId, ...page });
    expect(top).toMatchObject({ devices: 4 });
    return top?.deviceNames;
  };
  expect(await namesOf({ deviceLimit: 3 })).toEqual(['a', 'b', 'c']);
  expect(await namesOf({ deviceStart: 3, deviceLimit: 3 })).toEqual(['d']);
  expect(await namesOf({ deviceStart: 4 })).toEqual([]);
  expect(await namesOf({ deviceLimit: 0 })).toEqual([]);
  const rejected = await send('POST', '/compliance_reports/topissues', { treeId, deviceLimit: 1001 });
  expect(rejected.status).toBe(400);
});

test('the trend counts the newest report of each device a day, in UTC', async () => {
  const on = (day: number, hour: number) => new Date(Date.UTC(2026, 1, day, hour));
  const { treeId } = await treeWith(
    { deviceName: 'a', timestamp: on(3, 1), totals: [9, 0, 0, 1] },
    { deviceName: 'a', timestamp: on(3, 23), totals: [0, 0, 0, 1] },
    { deviceName: 'b', timestamp: on(3, 5), totals: [1, 0, 0, 2] },
    { deviceName: 'a', timestamp: on(5, 0), totals: [0, 1, 0, 6] },
    { deviceName: 'c', timestamp: on(6, 0), nodePath: 'base/x' },
  );
  const ask = (query: string) =>
    done<TrendDay[]>('GET', `/compliance_reports/trend?treeId=${treeId}&${query}`);
  const third = { date: '2026-02-03', devices: 2, pass: 1, review: 0, fail: 1, meanScore: 75 };
  const fifth = { date: '2026-02-05', devices: 1, pass: 0, review: 1, fail: 0, meanScore: 85.71 };
  const sixth = { date: '2026-02-06', devices: 1, pass: 1, review: 0, fail: 0, meanScore: 100 };
  expect(await ask('from=2026-02-01&to=2026-02-28')).toEqual([third, fifth, sixth]);
  expect(await ask('from=2026-02-03&to=2026-02-05')).toEqual([third, fifth]);
  expect(await ask('from=2026-02-03T05:00:00Z&to=2026-02-04&version=initial')).toEqual([third]);
  expect(await ask('to=2026-03-01&nodePath=base/x')).toEqual([sixth]);
  expect(await ask('to=2025-03-01')).toEqual([]);
  for (const query of ['from=2026-02-03&to=2026-02-01', 'from=2020-01-01&to=2026-01-01', 'from=yesterday']) {
    expect((await send('GET', `/compliance_reports/trend?treeId=${treeId}&${query}`)).status).toBe(400);
  }
});

test('the matrix sets devices against specs, page by page', async () => {
  const [root, leaf] = [newId(), newId()];
  const cell = (specId: string, errors: number, passes: number) => ({
    specId,
    errors,
    warnings: 0,
    infos: 0,
    passes,
  });
  const onLeaf = { nodePath: 'base/x', totals: [1, 0, 0, 2] as const };
  const { treeId, stored } = await treeWith(
    { deviceName: 'b', findings: findingOf([], [{ nodePath: 'base', ...cell(root, 0, 10) }]) },
    {
      deviceName: 'a',
      ...onLeaf,
      findings: findingOf(
        [],
        [
          { nodePath: 'base', ...cell(root, 0, 2) },
          { nodePath: 'base/x', ...cell(leaf, 1, 0) },
        ],
      ),
    },
  );
  const ask = (query: string) =>
    done<ComplianceMatrix>('GET', `/compliance_reports/matrix?treeId=${treeId}&version=initial${query}`);
  const checked = (deviceName: string) => {
    const report = stored.find((one) => one.deviceName === deviceName);
    return { deviceName, reportId: report?.id, timestamp: report?.timestamp.toISOString() };
  };
  const [a, b] = [
    { ...checked('a'), grade: 'fail', score: 50, cells: [cell(root, 0, 2), cell(leaf, 1, 0)] },
    { ...checked('b'), grade: 'pass', score: 100, cells: [cell(root, 0, 10)] },
  ];
  const specs = [
    { specId: root, nodePath: 'base' },
    { specId: leaf, nodePath: 'base/x' },
  ];
  expect(await ask('')).toEqual({ specs, list: [a, b], total: 2 });
  expect(await ask('&start=1&limit=1')).toEqual({ specs, list: [b], total: 2 });
  expect(await ask('&nodePath=base/x')).toEqual({ specs, list: [a], total: 1 });
  expect(await ask('&grade=fail')).toEqual({ specs, list: [a], total: 1 });
  expect(await ask('&deviceName=B')).toEqual({ specs: [specs[0]], list: [b], total: 1 });
  expect(await ask('&nodePath=base/none')).toEqual({ specs: [], list: [], total: 0 });
});

test('the coverage counts devices by grade, and names those without a report and those with an old one', async () => {
  const { treeId } = await treeWith(
    { deviceName: 'edge-1', timestamp: hoursAgo(1), totals: [0, 0, 0, 1] },
    { deviceName: 'edge-2', timestamp: hoursAgo(24 * 8), totals: [1, 0, 0, 1] },
  );
  await done('POST', `/configs/${treeId}/initial/base/devices`, {
    devices: ['edge-1', 'edge-2', 'edge-3', 'core-1'],
  });
  const { id: group } = await done<{ id: string }>('POST', '/devicegroup', {
    groupName: `group ${newId()}`,
    deviceNames: 'edge-2,edge-3',
  });
  const ask = (query: string) =>
    done<ComplianceCoverage>('GET', `/compliance_reports/coverage?treeId=${treeId}&version=initial${query}`);
  const all = await ask('');
  expect(all).toMatchObject({
    assigned: 4,
    grades: { pass: 1, review: 0, fail: 1 },
    staleDays: 7,
    unchecked: {
      total: 2,
      list: [
        { deviceName: 'core-1', nodePath: 'base' },
        { deviceName: 'edge-3', nodePath: 'base' },
      ],
    },
    stale: { total: 1, list: [{ deviceName: 'edge-2' }] },
  });
  expect(await ask('&staleDays=9')).toMatchObject({ stale: { total: 0, list: [] } });
  expect(await ask('&deviceName=EDGE&limit=1&start=1')).toMatchObject({
    assigned: 3,
    unchecked: { total: 1, list: [] },
  });
  expect(await ask(`&deviceGroupId=${group}`)).toMatchObject({
    assigned: 2,
    grades: { pass: 0, review: 0, fail: 1 },
    unchecked: { total: 1, list: [{ deviceName: 'edge-3' }] },
  });
  expect((await send('GET', `/compliance_reports/coverage?treeId=${newId()}&version=initial`)).status).toBe(
    404,
  );
});
