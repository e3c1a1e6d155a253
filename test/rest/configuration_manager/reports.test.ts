import { expect, test } from 'vitest';
import { newId } from '#db/ids.ts';
import type { HistoryRecord } from '#db/schemas/golden-config/compliance.ts';
import type {
  GradedReport,
  GradedRun,
  Report,
  ReportHeader,
} from '#db/schemas/golden-config/compliance-report.ts';
import { findingOf } from '#server/domains/golden-config/compliance/reports/finding.service.ts';
import { storeReports } from '#server/domains/golden-config/compliance/reports/store-reports.service.ts';
import { createBatch } from '#server/domains/golden-config/compliance/runs/batches.service.ts';
import { failedReport, issue, newReport } from '../../helpers/documents/reports.ts';
import { hoursAgo, openTreeReports } from '../../helpers/documents/tree-reports.ts';

const { db, platform, send, done, groupOf, callerWith, store, treeWith, historyOf } = await openTreeReports();

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

test('a report is returned completely', async () => {
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

test('the history of backups names the backup that was checked', async () => {
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

test('a batch returns its reports so far, its status in a header, and its progress', async () => {
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

test('reports are as open as their tree, also when the tree has been deleted', async () => {
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
  expect(await listed(member)).toEqual([2, 2, 1]);
  expect(await statuses(member)).toEqual([200, 404, 404, 404, 200]);
  expect(await listed(stranger)).toEqual([0, 0, 0]);
  expect(await statuses(stranger)).toEqual([404, 404, 404, 404, 404]);
  expect(platform.config.benchmarks).toEqual({ pass: 90, review: 80 });
});
