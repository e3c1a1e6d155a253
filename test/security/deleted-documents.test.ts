import { beforeAll, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { insert } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import { sql } from '#db/statement.ts';
import { planInstances } from '#db/tables/golden-config/plans.ts';
import { storeProposal } from '../helpers/documents/remediations.ts';
import { openTreeReports } from '../helpers/documents/tree-reports.ts';
import { listenTo } from '../helpers/jobs/events.ts';
import { task, workflowOf } from '../helpers/workflows.ts';

const service = await openTreeReports();
const { db, done, send, call } = service;

/** Two callers with the same rights, but for the group. */
const member = { as: ['apiread', 'apiwrite', 'engineering'] as const };
const stranger = { as: ['apiread', 'apiwrite', 'engineering', 'support'] as const };
let group = '';

beforeAll(async () => {
  group = await service.groupOf(member.as);
});

const gbac = () => ({ read: [group], write: [group] });

/** A tree with a report and a proposal of it, that only the group could read until it was deleted. */
async function deletedTree(lists: object) {
  const { treeId, stored } = await service.treeWith({ deviceName: `edge-${newId()}` });
  const [report] = stored;
  if (!report) throw new Error('no report was stored');
  const { id: reportId, deviceName } = report;
  const proposal = await storeProposal(db, { reportId, deviceName, treeId });
  await done('PUT', `/configs/${treeId}`, { options: { gbac: lists } });
  await done('DELETE', '/configs', { treeIds: [treeId] });
  return { treeId, report, proposal };
}

test('reports and proposals of a deleted tree remain visible to the readers of the tree alone', async () => {
  const { treeId, report, proposal } = await deletedTree(gbac());
  const statusesOf = async (path: string) =>
    Promise.all(
      [member, stranger, { as: 'admin' as const }].map(
        async (as) => (await send('GET', path, undefined, as)).status,
      ),
    );
  expect(await statusesOf(`/compliance_reports/details/${report.id}`)).toEqual([200, 404, 200]);
  expect(await statusesOf(`/remediations/${proposal}`)).toEqual([200, 404, 200]);
  const listed = async (as: typeof member | typeof stranger) =>
    (await send('POST', '/remediations/search', { options: { filter: { treeId } } }, as)).json;
  expect(await listed(member)).toMatchObject({ total: 1 });
  expect(await listed(stranger)).toMatchObject({ total: 0, list: [] });
});

test('reports of a deleted tree that was open to everyone stay open', async () => {
  const { report } = await deletedTree({ read: [], write: [] });
  expect((await send('GET', `/compliance_reports/details/${report.id}`, undefined, stranger)).status).toBe(
    200,
  );
});

test('a tree that is stored again under its id decides with its new access list', async () => {
  const { treeId, report } = await deletedTree(gbac());
  await db.execute(sql`insert into golden_trees (id, doc)
    values (${treeId}, jsonb_build_object('id', ${treeId}::text, 'name', ${treeId}::text, 'gbac', '{"read":[],"write":[]}'::jsonb))`);
  expect((await send('GET', `/compliance_reports/details/${report.id}`, undefined, stranger)).status).toBe(
    200,
  );
});

test('deleting the last group of a deleted tree leaves its reports to admins', async () => {
  const gone = await service.groupOf(['apiread', 'designer']);
  const { report } = await deletedTree({ read: [gone], write: [gone] });
  const removed = await call('admin', 'DELETE', `/authorization/groups/${gone}`);
  expect(removed.status, removed.text).toBe(200);
  expect((await send('GET', `/compliance_reports/details/${report.id}`, undefined, stranger)).status).toBe(
    404,
  );
  expect((await send('GET', `/compliance_reports/details/${report.id}`)).status).toBe(200);
});

test('runs of a deleted compliance plan remain visible to the readers of the plan alone', async () => {
  const plan = await done<{ id: string }>('POST', '/compliance_plans', {
    name: `plan ${newId()}`,
    options: { gbac: gbac() },
  });
  const instance = newId();
  await insert(db, planInstances, instance, {
    _id: instance,
    id: instance,
    planId: plan.id,
    name: 'ran',
    jobStatus: 'complete',
    batchId: newId(),
    started: new Date().toISOString(),
    finished: null,
    nodes: [],
  });
  await done('DELETE', '/compliance_plans', { planIds: [plan.id] });
  const found = async (as: typeof member | typeof stranger) =>
    (await send('POST', '/search/compliance_plan_instances', { searchParams: { planId: plan.id } }, as)).json;
  expect(await found(member)).toMatchObject({ totalCount: 1 });
  expect(await found(stranger)).toMatchObject({ totalCount: 0, plans: [] });
});

test('jobs of a deleted project remain visible to the readers of the project alone', async () => {
  const { caller } = await service.callerWith(member.as);
  const made = await call('admin', 'POST', '/automation-studio/projects', { name: `project ${newId()}` });
  const project = (made.json as { data: { _id: string } }).data._id;
  const members = await call('admin', 'PATCH', `/automation-studio/projects/${project}`, {
    members: [
      { type: 'account', role: 'owner', reference: (await service.callerWith('admin')).caller.id },
      { type: 'account', role: 'operator', reference: caller.id },
    ],
  });
  expect(members.status, members.text).toBe(200);
  const name = `Flow ${newId()}`;
  const stored = await call('admin', 'POST', '/automation-studio/automations', {
    automation: workflowOf(name, { a: task('newVariable', { name: 'x', value: 1 }, { value: null }) }),
  });
  expect(stored.status, stored.text).toBe(200);
  const started = await call('admin', 'POST', '/operations-manager/jobs/start', { workflow: name });
  expect(started.status, started.text).toBe(200);
  const job = (started.json as { data: { _id: string } }).data._id;
  await rows(db, sql`update jobs set project_id = ${project} where id = ${job}`);
  const removed = await call('admin', 'DELETE', `/automation-studio/projects/${project}`);
  expect(removed.status, removed.text).toBe(200);
  const statusFor = async ({ as }: typeof member | typeof stranger) =>
    (await call(as, 'GET', `/operations-manager/jobs/${job}`)).status;
  expect(await statusFor(member)).toBe(200);
  expect(await statusFor(stranger)).toBe(404);
});

test('events of a proposal whose tree was deleted reach only the readers of the tree', async () => {
  const { proposal } = await deletedTree(gbac());
  const readers = await Promise.all(
    [member, stranger].map(async ({ as }) => {
      const { token } = await service.callerWith(as);
      const reader = await listenTo(service.url, { token, query: `?subjects=${proposal}` });
      await reader.begun();
      return reader;
    }),
  );
  const [heard, unheard] = readers;
  await send('DELETE', `/remediations/${proposal}`);
  await heard?.reported(1, ({ payload }) => payload.change === 'deleted');
  expect(unheard?.events()).toEqual([]);
  for (const reader of readers) reader.cut();
});
