import { expect, test } from 'vitest';
import { openTreeReports } from '../../helpers/documents/tree-reports.ts';

const { send, treeWith } = await openTreeReports();

const PATH = '/compliance_reports';
const at = (day: number) => new Date(Date.UTC(2026, 0, day, 12));
const DAYS = [1, 2, 3, 4, 5, 6] as const;
const ERROR = {
  status: 'error' as const,
  error: 'no configuration',
  totals: [0, 0, 0, 0] as const,
  findings: null,
};
const { treeId } = await treeWith(
  ...DAYS.map((day) => {
    const given = { timestamp: at(day), deviceName: day % 2 === 0 ? 'edge-2' : 'edge-1' };
    return day === 6 ? { ...given, ...ERROR, nodePath: 'base/core' } : given;
  }),
);

const daysOf = (json: unknown) =>
  (json as { timestamp: string }[]).map(({ timestamp }) => new Date(timestamp).getUTCDate());
const listed = async (query: string, list = '') => {
  const { status, json, text } = await send('GET', `${PATH}${list}?treeId=${treeId}&${query}`);
  expect(status, text).toBe(200);
  return daysOf(json);
};

test.each([
  ['', [6, 5, 4, 3, 2, 1]],
  ['order=-1', [1, 2, 3, 4, 5, 6]],
  ['sort=timestamp', [1, 2, 3, 4, 5, 6]],
  ['sort[timestamp]=-1&skip=1&limit=2', [5, 4]],
  ['sort=timestamp&order=descending&start=1&limit=2', [5, 4]],
  ['sort=deviceName', [1, 3, 5, 2, 4, 6]],
  ['sort=deviceName&order=-1&limit=4', [6, 4, 2, 5]],
  ['equals[deviceName]=edge-1', [5, 3, 1]],
  ['equals=edge-1&equalsField=deviceName&sort=timestamp', [1, 3, 5]],
  ['in[deviceName]=edge-1&in[deviceName]=edge-9', [5, 3, 1]],
  ['not-in[deviceName]=edge-1', [6, 4, 2]],
  ['contains[deviceName]=GE-2', [6, 4, 2]],
  ['starts-with[nodePath]=base/', [6]],
  ['equals[nodePath]=base', [5, 4, 3, 2, 1]],
  ['equals[status]=error', [6]],
  ['gt[timestamp]=2026-01-02T12:00:00.000Z&lte[timestamp]=2026-01-05', [4, 3]],
  ['gte[timestamp]=2026-01-02T12:00:00.000Z&equals[deviceName]=edge-2&limit=2', [6, 4]],
  ['queryOptions[sort]=timestamp&queryOptions[limit]=1', [1]],
  ['deviceName=edge-2&equals[deviceName]=edge-1', []],
])('GET compliance_reports with %s returns the reports of days %j', async (query, days) => {
  expect(await listed(query)).toEqual(days);
});

test('the history accepts the same forms and contains complete runs only', async () => {
  expect(await listed('sort=timestamp', '/history')).toEqual([1, 2, 3, 4, 5]);
  expect(await listed('equals[deviceName]=edge-2', '/history')).toEqual([4, 2]);
  expect(await listed('equals[status]=error', '/history')).toEqual([]);
});

test('the POST histories accept page and order in each form', async () => {
  const run = { treeId, version: 'initial', nodePath: 'base' };
  const options = { skip: 1, limit: 2, sort: { timestamp: 1 } };
  const requested = async (path: string, body: object) => {
    const { status, json, text } = await send('POST', `${PATH}${path}`, body);
    expect(status, text).toBe(200);
    return json;
  };
  expect(daysOf(await requested('/history', { options: { treeId, ...options } }))).toEqual([2, 3]);
  expect(daysOf(await requested('/history', { options: { treeId, order: -1, limit: 1 } }))).toEqual([1]);
  const graded = { ...run, deviceName: 'edge-1', options };
  expect(daysOf(await requested('/grade/history', graded))).toEqual([3, 5]);
  const { total, history } = (await requested('/query/history', {
    ...run,
    filter: { deviceName: 'edge-1' },
    options,
  })) as { total: number; history: unknown };
  expect([total, daysOf(history)]).toEqual([3, [3, 5]]);
  expect(await requested('/history/backups', { options: { treeId, ...options } })).toEqual([]);
});

test.each([
  ['sort=status', /sort: must be one of timestamp, deviceName, id/],
  ['sort[timestamp]=1&sort[id]=1', /sort: must be one of/],
  ['sort=colour', /colour/],
  ['equals[colour]=red', /have no field/],
  ['equals[status]=failed', /complete, error/],
  ['gt[timestamp]=yesterday', /timestamp must be a time/],
  ['contains[timestamp]=2026', /supports equals, in, gt, gte, lt and lte only/],
  ['skip=1&start=2', /contradicts/],
  ['limit=1001', /limit/],
])('GET compliance_reports?%s is rejected with 400 that says why', async (query, message) => {
  for (const list of ['', '/history']) {
    const { status, text } = await send('GET', `${PATH}${list}?${query}`);
    expect([status, text]).toEqual([400, expect.stringMatching(message)]);
  }
});
