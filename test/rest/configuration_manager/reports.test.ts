import { expect, test } from 'vitest';
import { newId } from '#db/ids.ts';
import type { GradedGroup, HistoryRecord } from '#db/schemas/compliance.ts';
import type {
  ComplianceMatrix,
  ComplianceSummary,
  GradedReport,
  GradedRun,
  Report,
  ReportHeader,
  TopIssue,
  TrendDay,
} from '#db/schemas/compliance-report.ts';
import { createBatch } from '#server/engines/compliance/batches.service.ts';
import { findingOf } from '#server/engines/compliance/finding.service.ts';
import type { NewReport } from '#server/engines/compliance/new-report.ts';
import { storeReports } from '#server/engines/compliance/store-reports.service.ts';
import { issuesOf, openConfiguration } from '../../helpers/configuration.ts';
import { failedReport, issue, newReport } from '../../helpers/reports.ts';

const { db, platform, send, done, groupOf, callerWith } = await openConfiguration();

type Given = Parameters<typeof newReport>[0];

/** A new tree with a version `initial`, and what was stored of it. */
async function treeWith(...given: Given[]): Promise<{ treeId: string; stored: NewReport[] }> {
  const { id: treeId } = await done<{ id: string }>('POST', '/configs', {
    name: `tree ${newId()}`,
    deviceType: 'cisco-ios',
  });
  return { treeId, stored: await store(treeId, ...given) };
}
async function store(treeId: string, ...given: Given[]): Promise<NewReport[]> {
  const reports = given.map((one) => newReport({ treeId, ...one }));
  await storeReports(db, reports);
  return reports;
}
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);

const grade = (treeId: string, options: object = {}, path = '/grade') =>
  done<GradedGroup[]>('POST', `/compliance_reports${path}`, { treeId, version: 'initial', options });
const historyOf = (options: object) =>
  done<HistoryRecord[]>('POST', '/compliance_reports/history', { options });
const shown = (groups: GradedGroup[]) =>
  groups.flatMap(({ records }) => records.map(({ deviceName, score, grade: of }) => [deviceName, score, of]));

test('grading gives always three groups, the best scores first, then by device', async () => {
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

test('a record tells report, node and moment; a tree without reports has three empty groups', async () => {
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

test('weights and benchmarks of the request count; members that are not given, or null, take their defaults', async () => {
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

test('an unknown tree or version is not found, and named; wrong members are refused, all of them', async () => {
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
  const refused = await send('POST', '/compliance_reports/grade', {
    treeId: 'not-an-id',
    version: 1,
    options: { weights: { error: '5', other: 1 }, nodePath: ['base'] },
    more: 1,
  });
  expect(refused.status).toBe(400);
  expect(issuesOf(refused).map((one) => one.split(':')[0])).toEqual(
    expect.arrayContaining(['treeId', 'version', 'options.weights.error', 'options.nodePath']),
  );
  expect((await send('POST', '/compliance_reports/grade', { treeId, version: 'initial' })).status).toBe(400);
});

test('the history is newest first, every filter must hold, and a limit has bounds', async () => {
  const { treeId } = await treeWith(
    ...Array.from({ length: 5 }, (_, n) => ({ timestamp: hoursAgo(5 - n), deviceName: `edge-${n % 2}` })),
    { version: 'v2', timestamp: hoursAgo(2.5), deviceName: 'edge-1', nodePath: 'base/x' },
  );
  const all = await historyOf({ treeId });
  expect(all).toHaveLength(6);
  expect(all.map(({ timestamp }) => timestamp)).toEqual(
    all
      .map(({ timestamp }) => timestamp)
      .toSorted()
      .toReversed(),
  );
  expect(Object.keys(all[0] ?? {}).sort()).toEqual([
    'batchId',
    'deviceName',
    'id',
    'nodePath',
    'timestamp',
    'totals',
    'treeId',
    'version',
  ]);
  expect(all.map(({ version }) => version)).toEqual([
    'initial',
    'initial',
    'v2',
    'initial',
    'initial',
    'initial',
  ]);
  expect(await historyOf({ treeId, limit: 2 })).toEqual(all.slice(0, 2));
  expect(await historyOf({ treeId, version: 'v2' })).toHaveLength(1);
  expect(await historyOf({ treeId, version: 'v2', devices: ['edge-1'], nodePath: 'base' })).toHaveLength(1);
  expect(await historyOf({ treeId, devices: ['edge-1', 'edge-1', 'nobody'] })).toHaveLength(3);
  expect(await historyOf({ treeId, devices: [] })).toEqual([]);
  expect(await historyOf({ treeId: newId() })).toEqual([]);
  expect(await historyOf({ devices: ['edge-0'], treeId, version: null, limit: null })).toHaveLength(3);
  for (const limit of [0, 1001, 1.5, '5', -1]) {
    expect((await send('POST', '/compliance_reports/history', { options: { limit } })).status).toBe(400);
  }
  expect((await send('POST', '/compliance_reports/history', {})).status).toBe(400);
});

test('a hundred records are the default, a thousand the most', async () => {
  const { treeId } = await treeWith(...Array.from({ length: 1010 }, (_, n) => ({ deviceName: `edge-${n}` })));
  expect(await historyOf({ treeId })).toHaveLength(100);
  expect(await historyOf({ treeId, limit: 1000 })).toHaveLength(1000);
  expect(await done<ReportHeader[]>('GET', `/compliance_reports?treeId=${treeId}&start=1000`)).toHaveLength(
    10,
  );
});

test('reports are listed without issues, those that are errors too; the history holds complete ones only', async () => {
  const { treeId, stored } = await treeWith({ totals: [1, 0, 0, 1] });
  const failed = failedReport({ treeId, backupId: newId() });
  await storeReports(db, [failed]);
  const path = `?treeId=${treeId}&version=initial&nodePath=base&deviceName=edge-1`;
  const list = await done<ReportHeader[]>('GET', `/compliance_reports${path}`);
  expect(list.map(({ id }) => id)).toEqual([failed.id, stored[0]?.id]);
  expect(list[0]).toMatchObject({
    status: 'error',
    error: 'no configuration',
    backupId: failed.backupId,
    evaluated: 0,
  });
  expect(list[1]).not.toHaveProperty('error');
  expect(list[1]).not.toHaveProperty('issues');
  const history = await done<HistoryRecord[]>('GET', `/compliance_reports/history${path}`);
  expect(history.map(({ id }) => id)).toEqual([stored[0]?.id]);
  expect(await historyOf({ treeId })).toEqual(history);
});

test('a report comes back whole', async () => {
  const inherited = [newId(), newId()];
  const { treeId, stored } = await treeWith({
    nodePath: 'base/access',
    totals: [1, 0, 0, 1],
    inheritedSpecIds: inherited,
    variables: [{ name: 'site', type: 'literal', value: 'øs"lo' }],
    parseWarnings: [{ line: 7, reason: 'odd' }],
    findings: findingOf([issue('say "hi" \\ 😀', { parents: ['interface x'], under: 'y' })], []),
  });
  const [one] = stored;
  const report = await done<Report>('GET', `/compliance_reports/details/${one?.id}`);
  expect(report).toEqual({
    id: one?.id,
    _id: one?.id,
    batchId: null,
    treeId,
    version: 'initial',
    nodePath: 'base/access',
    deviceType: 'cisco-ios',
    specId: one?.specId,
    inheritedSpecIds: inherited,
    deviceName: 'edge-1',
    variables: one?.variables,
    timestamp: one?.timestamp.toISOString(),
    totals: one?.totals,
    status: 'complete',
    evaluated: 2,
    parseWarnings: one?.parseWarnings,
    issues: [issue('say "hi" \\ 😀', { parents: ['interface x'], under: 'y' })],
  });
  const [more] = await store(treeId, { deviceName: 'edge-2' });
  const both = await done<Report[]>('POST', '/compliance_reports/details', {
    reportIds: [more?.id, newId(), one?.id],
  });
  expect(both.map(({ id }) => id)).toEqual([more?.id, one?.id]);
  expect(both[1]).toEqual(report);
  expect((await send('GET', `/compliance_reports/details/${newId()}`)).status).toBe(404);
  const graded = await done<GradedReport>('POST', '/compliance_reports/grade/single', {
    reportId: one?.id,
    options: { benchmarks: { pass: 30, review: 20 } },
  });
  expect(graded).toEqual({ ...report, score: 33.33, grade: 'pass' });
  const failed = failedReport({ treeId });
  await storeReports(db, [failed]);
  expect(await send('POST', '/compliance_reports/grade/single', { reportId: failed.id })).toMatchObject({
    status: 422,
    json: { message: expect.stringContaining(failed.id) },
  });
  expect((await send('POST', '/compliance_reports/grade/single', { reportId: newId() })).status).toBe(404);
});

test('the graded runs of a device are newest first; the query counts them all', async () => {
  const { treeId, stored } = await treeWith(
    { timestamp: hoursAgo(3), totals: [1, 0, 0, 2] },
    { timestamp: hoursAgo(1), totals: [0, 1, 1, 3] },
    { timestamp: hoursAgo(2), deviceName: 'edge-2' },
  );
  const run = { treeId, version: 'initial', nodePath: 'base' };
  const graded = await done<GradedRun[]>('POST', '/compliance_reports/grade/history', {
    ...run,
    deviceName: 'edge-1',
  });
  expect(graded).toEqual([
    {
      id: stored[1]?.id,
      nodePath: 'base',
      deviceName: 'edge-1',
      timestamp: stored[1]?.timestamp.toISOString(),
      error: 0,
      warning: 1,
      info: 1,
      pass: 3,
      score: 66.67,
      grade: 'fail',
    },
    expect.objectContaining({ id: stored[0]?.id, score: 50, grade: 'fail' }),
  ]);
  const ask = (options: object) =>
    done<{ total: number; history: GradedRun[] }>('POST', '/compliance_reports/query/history', {
      ...run,
      filter: { deviceName: 'edge-1' },
      options,
    });
  expect(await ask({})).toEqual({ total: 2, history: graded });
  expect(await ask({ start: 1, limit: 1 })).toEqual({ total: 2, history: graded.slice(1) });
  expect(await ask({ start: 5, weights: { error: 0 } })).toEqual({ total: 2, history: [] });
});

test('the history of backups tells which backup was checked', async () => {
  const [one, other] = [newId(), newId()];
  const { treeId } = await treeWith(
    { backupId: one, timestamp: hoursAgo(2) },
    { backupId: other, timestamp: hoursAgo(1) },
    {},
  );
  const ask = async (options: object) => {
    const list = await done<{ backupId: string }[]>('POST', '/compliance_reports/history/backups', {
      options,
    });
    return list.map(({ backupId }) => backupId);
  };
  expect(await ask({ treeId })).toEqual([other, one]);
  expect(await ask({ backupIds: [one] })).toEqual([one]);
  expect(await ask({ backupIds: [one, other], limit: 1 })).toEqual([other]);
  expect(await ask({ backupIds: [] })).toEqual([]);
});

test('a batch tells its reports so far, its status in a header, and its progress', async () => {
  const { treeId } = await treeWith();
  const started = new Date();
  const { batchId } = await createBatch(db, { total: 3, treeIds: [treeId], request: { treeId } }, started);
  await storeReports(db, [
    newReport({ treeId, batchId, deviceName: 'b', timestamp: hoursAgo(9) }),
    failedReport({ treeId, batchId, deviceName: 'a' }),
  ]);
  const answer = await send('GET', `/compliance_reports/batch/${batchId}`);
  expect(answer.headers).toMatchObject({ 'x-batch-status': 'running', 'x-total-count': '2' });
  expect(answer.json).toMatchObject([
    { deviceName: 'a', batchId, status: 'error' },
    { deviceName: 'b', batchId, status: 'complete', timestamp: started.toISOString() },
  ]);
  const page = await done<ReportHeader[]>('GET', `/compliance_reports/batch/${batchId}?start=1&limit=5`);
  expect(page.map(({ deviceName }) => deviceName)).toEqual(['b']);
  expect(await done('GET', `/compliance_reports/batch/${batchId}/status`)).toEqual({
    batchId,
    status: 'running',
    total: 3,
    done: 2,
    errors: 1,
    started: started.toISOString(),
    finished: null,
  });
  for (const path of ['', '/status']) {
    expect((await send('GET', `/compliance_reports/batch/${newId()}${path}`)).status).toBe(404);
  }
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

test('the rules violated most often are told with how often, and by how many devices', async () => {
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
    },
    { message: `${name} often`, severity: 'error', type: 'required', spec: often.spec, count: 3, devices: 3 },
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
  const { treeId } = await treeWith(
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
  const [a, b] = [
    { deviceName: 'a', grade: 'fail', score: 50, cells: [cell(root, 0, 2), cell(leaf, 1, 0)] },
    { deviceName: 'b', grade: 'pass', score: 100, cells: [cell(root, 0, 10)] },
  ];
  const specs = [
    { specId: root, nodePath: 'base' },
    { specId: leaf, nodePath: 'base/x' },
  ];
  expect(await ask('')).toEqual({ specs, list: [a, b], total: 2 });
  expect(await ask('&start=1&limit=1')).toEqual({ specs, list: [b], total: 2 });
  expect(await ask('&nodePath=base/x')).toEqual({ specs, list: [a], total: 1 });
  expect(await ask('&nodePath=base/none')).toEqual({ specs: [], list: [], total: 0 });
});

test('reports are as open as their tree; those of a tree that is gone are open to everyone with the role', async () => {
  const { treeId, stored } = await treeWith({ deviceName: newId() });
  const [one] = stored;
  const { batchId } = await createBatch(db, { total: 1, treeIds: [treeId], request: {} }, new Date());
  await storeReports(db, [newReport({ treeId, batchId, deviceName: one?.deviceName ?? '' })]);
  const stranger = ['apiread', 'designer'] as const;
  await callerWith(stranger);
  const member = ['apiread', 'apiwrite'] as const;
  const group = await groupOf(member);
  await done('PUT', `/configs/${treeId}`, { options: { gbac: { read: [group], write: [group] } } });

  const statuses = async (as: typeof stranger | typeof member) => [
    (await send('GET', `/compliance_reports/details/${one?.id}`, undefined, { as })).status,
    (
      await send(
        'POST',
        '/compliance_reports/grade/read',
        { treeId, version: 'initial', options: {} },
        { as },
      )
    ).status,
    (await send('GET', `/compliance_reports/tree/${treeId}`, undefined, { as })).status,
    (await send('GET', `/compliance_reports/trend?treeId=${treeId}`, undefined, { as })).status,
    (await send('GET', `/compliance_reports/batch/${batchId}`, undefined, { as })).status,
  ];
  const listed = async (as: typeof stranger | typeof member) => {
    const options = { devices: [one?.deviceName] };
    const lists = [
      await done<unknown[]>('POST', '/compliance_reports/history', { options }, { as }),
      await done<unknown[]>('GET', `/compliance_reports?treeId=${treeId}`, undefined, { as }),
      await done<unknown[]>('POST', '/compliance_reports/details', { reportIds: [one?.id] }, { as }),
    ];
    return lists.map(({ length }) => length);
  };
  expect(await statuses(member)).toEqual([200, 200, 200, 200, 200]);
  expect(await statuses(stranger)).toEqual([404, 404, 404, 404, 404]);
  expect(await listed(member)).toEqual([2, 2, 1]);
  expect(await listed(stranger)).toEqual([0, 0, 0]);

  await done('DELETE', `/configs/${treeId}`);
  expect(await listed(stranger)).toEqual([2, 2, 1]);
  expect(await statuses(stranger)).toEqual([200, 404, 404, 404, 200]);
  expect(platform.config.benchmarks).toEqual({ pass: 90, review: 80 });
});
