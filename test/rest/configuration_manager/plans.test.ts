import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { CompliancePlan, PlanInstance } from '#db/schemas/golden-config/compliance-plan.ts';
import type { NodeDetail } from '#db/schemas/golden-config/golden-tree.ts';
import { issuesOf } from '../../helpers/configuration.ts';
import { openFleet } from '../../helpers/devices/fleet.ts';
import { isLong } from '../../helpers/long.ts';
import { until } from '../../helpers/processes/processes.ts';

const fleet = await openFleet();
const { backUp, done, reports, send, tree } = fleet;

const NOBODY = '65a000000000000000000000';
let counter = 0;
const unique = (word: string) => `${word} ${counter++}`;

type Page = { totalCount: number; plans: PlanInstance[] };
const instances = (searchParams: object) =>
  done<Page & { groups: Page[] }>('POST', '/search/compliance_plan_instances', { searchParams });
const runPlan = (planId: string) => done<{ instanceId: string }>('POST', '/compliance_plans/run', { planId });
const ended = (instanceId: string) =>
  until('the plan', async () => {
    const [one] = (await instances({ instanceId })).plans;
    return one && one.jobStatus !== 'running' ? one : undefined;
  });

/** A tree with a node of two devices, and how a plan names that node. */
async function nodeOf(template = 'hostname {/.+/}\n') {
  const made = await tree(template);
  await made.child('base', 'site');
  const devices = [unique('plan-a').replace(' ', '-'), unique('plan-b').replace(' ', '-')];
  await made.place('base/site', devices);
  await backUp(Object.fromEntries(devices.map((name) => [name, `hostname ${name}\n`])));
  const { attributes } = await done<NodeDetail>('GET', `/configs/${made.id}/initial/base/site`);
  const nodeId = attributes?.configId ?? '';
  return { ...made, devices, nodeId, node: { treeId: made.id, version: 'initial', nodeId } };
}

const create = (name: string, options: object = {}) =>
  done<CompliancePlan>('POST', '/compliance_plans', { name, options });

test('a plan is returned completely, by its id and by a search for a part of its name', async () => {
  const { node } = await nodeOf();
  const name = unique('Nightly');
  const made = await create(name, { nodes: [node] });
  expect(made).toMatchObject({
    name,
    _id: made.id,
    description: '',
    throttle: 5,
    nodes: [{ ...node, devices: [], deviceGroups: [], variables: {} }],
    gbac: { read: [], write: [] },
  });
  expect(await done('GET', `/compliance_plans/${made.id}`)).toEqual(made);
  const found = await done<{ totalCount: number; plans: CompliancePlan[] }>(
    'POST',
    '/search/compliance_plans',
    {
      name: name.slice(2).toUpperCase(),
    },
  );
  expect(found).toEqual({ totalCount: 1, plans: [made] });
  expect(await done('POST', '/search/compliance_plans', { name: '' })).toMatchObject({
    plans: expect.arrayContaining([made]),
  });
});

test('a taken name is rejected, and a missing node is reported by its place', async () => {
  const { node } = await nodeOf();
  const { name } = await create(unique('Taken'));
  expect(await send('POST', '/compliance_plans', { name })).toMatchObject({
    status: 409,
    json: { message: `A compliance plan with the name ${name} already exists` },
  });
  const rejected = await send('POST', '/compliance_plans', {
    name: unique('Lost'),
    options: { nodes: [node, { ...node, nodeId: NOBODY }, node] },
  });
  expect(rejected.status).toBe(400);
  expect(issuesOf(rejected)).toEqual([
    `options.nodes.2.nodeId: node ${node.nodeId} occurs twice`,
    `options.nodes.1.nodeId: version initial of tree ${node.treeId} has no node ${NOBODY}`,
  ]);
});

test('a run is found by its id immediately, ends with the progress of each node, and its reports belong to one batch', async () => {
  const one = await nodeOf();
  const bare = await nodeOf();
  const { id } = await create(unique('Two trees'), {
    nodes: [one.node, { ...bare.node, devices: ['nobody-has-me'] }],
  });
  const started = await done<{ instanceId: string }>('POST', '/compliance_plans/run', {
    planId: id,
    options: {},
  });
  expect(started).toEqual({
    message: 'Successfully started compliance plan.',
    planId: id,
    instanceId: expect.stringMatching(/^[0-9a-f]{24}$/),
  });
  const now = await instances({ instanceId: started.instanceId });
  expect(now).toMatchObject({ totalCount: 1, groups: [{ totalCount: 1 }] });
  const instance = await ended(started.instanceId);
  expect(instance).toMatchObject({
    planId: id,
    description: '',
    jobStatus: 'complete',
    finished: expect.any(String),
    nodes: [
      { nodePath: 'base/site', status: 'completed', devices: 2, processedDevices: 2 },
      { nodePath: 'base/site', status: 'error', devices: 1, processedDevices: 1 },
    ],
  });
  const found = await reports(instance.batchId);
  expect(found.map(({ deviceName, status }) => [deviceName, status])).toEqual(
    expect.arrayContaining([...one.devices.map((name) => [name, 'complete']), ['nobody-has-me', 'error']]),
  );
  expect((await instances({ planId: id, jobStatus: 'complete' })).totalCount).toBe(1);
  expect((await instances({ planId: id, jobStatus: 'running' })).totalCount).toBe(0);
});

test('variables of a plan go before those of the tree', async () => {
  const made = await nodeOf();
  await made.rules('base/site', 'ntp server {{ ntp }}\n', { ntp: '192.0.2.9' });
  const { id } = await create(unique('Variables'), {
    nodes: [{ ...made.node, variables: { ntp: '192.0.2.4' } }],
  });
  const { batchId } = await ended((await runPlan(id)).instanceId);
  const [report] = await reports(batchId);
  expect(report?.issues.map(({ message }) => message)).toContain(
    'Required line is missing: ntp server 192.0.2.4',
  );
});

test.skipIf(!isLong)(
  'a plan that runs is not started again, and can be when its batch is canceled',
  async () => {
    const { node } = await nodeOf();
    const { id, name } = await create(unique('Busy'), { nodes: [node] });
    // A run that nobody works on: its batch has no work behind it.
    const { id: instanceId } = await ended((await runPlan(id)).instanceId);
    const busy = '65a0000000000000000000bb';
    await fleet.db.execute(sql`
    insert into compliance_batch (id, total, started, request) values (${busy}, 2, now(), '{}')`);
    await fleet.db.execute(sql`
    update compliance_plan_instances
    set doc = doc || jsonb_build_object('jobStatus', 'running', 'batchId', ${busy}::text, 'finished', null)
    where id = ${instanceId}`);
    const again = await send('POST', '/compliance_plans/run', { planId: id });
    expect([again.status, (again.json as { message: string }).message]).toEqual([
      409,
      `Compliance plan ${name} is running: instance ${instanceId}`,
    ]);
    expect((await instances({ instanceId })).plans).toMatchObject([
      { jobStatus: 'running', nodes: [{ status: 'running', devices: 2, processedDevices: 0 }] },
    ]);
    await done('POST', `/compliance_reports/batch/${busy}/cancel`);
    expect((await instances({ instanceId })).plans).toMatchObject([
      { jobStatus: 'canceled', finished: expect.any(String), nodes: [{ status: 'error' }] },
    ]);
    expect(await ended((await runPlan(id)).instanceId)).toMatchObject({ jobStatus: 'complete' });
  },
);

test('a plan without nodes runs, and has ended by the time of the answer', async () => {
  const { id } = await create(unique('Empty'));
  const { instanceId } = await runPlan(id);
  expect((await instances({ instanceId })).plans).toMatchObject([{ jobStatus: 'complete', nodes: [] }]);
});

test('what a plan uses is not deleted, and the rejection names the plan', async () => {
  const { id: treeId, node, remove } = await nodeOf();
  await done('POST', `/configs/${treeId}`, { version: 'v2', base: 'initial' });
  const plan = await create(unique('Keeper'), { nodes: [node] });
  const rejection = async (method: string, path: string, body?: object) => {
    const { status, json } = await send(method, path, body);
    return [status, (json as { message: string }).message];
  };
  expect(await rejection('DELETE', `/configs/${treeId}`)).toEqual([
    409,
    `Tree ${treeId} is used by plan ${plan.name}`,
  ]);
  expect(await done('DELETE', '/configs', { treeIds: [treeId] })).toEqual({
    status: 'conflict',
    deleted: 0,
    conflicts: [{ id: treeId, usedBy: [`plan ${plan.name}`] }],
  });
  expect((await rejection('DELETE', `/configs/${treeId}/initial`))[0]).toBe(409);
  expect(await rejection('DELETE', `/configs/${treeId}/initial/base/site`)).toEqual([
    409,
    `Node base/site, or a node below it, is used by plan ${plan.name}`,
  ]);
  expect(await done('DELETE', `/configs/${treeId}/v2`)).toMatchObject({ status: 'success' });
  await done('PUT', `/configs/${treeId}/initial`, { name: 'first' });
  expect(await done('GET', `/compliance_plans/${plan.id}`)).toMatchObject({ nodes: [{ version: 'first' }] });
  await done('PUT', `/configs/${treeId}/first`, { name: 'initial' });
  await done('DELETE', '/compliance_plans/nodes', { planId: plan.id, nodeIds: [node.nodeId] });
  await remove('base/site');
});

test('adds and removes nodes, updates only given options, and honours If-Match', async () => {
  const one = await nodeOf();
  const other = await nodeOf();
  const plan = await create(unique('Changing'), { nodes: [one.node], description: 'before' });
  await done('POST', '/compliance_plans/nodes', {
    planId: plan.id,
    nodes: [other.node, { ...one.node, devices: ['edge-1'] }],
  });
  const get = () => done<CompliancePlan>('GET', `/compliance_plans/${plan.id}`);
  expect((await get()).nodes.map(({ nodeId, devices }) => [nodeId, devices])).toEqual([
    [one.nodeId, ['edge-1']],
    [other.nodeId, []],
  ]);
  await done('DELETE', '/compliance_plans/nodes', { planId: plan.id, nodes: [{ nodeId: one.nodeId }] });
  await done('PUT', '/compliance_plans', {
    planId: plan.id,
    options: { name: unique('Changed'), throttle: 7 },
  });
  expect(await get()).toMatchObject({
    throttle: 7,
    description: 'before',
    nodes: [{ nodeId: other.nodeId }],
  });
  expect(
    await send(
      'PUT',
      '/compliance_plans',
      { planId: plan.id, options: {} },
      { ifMatch: '"2020-01-01T00:00:00.000Z"' },
    ),
  ).toMatchObject({ status: 409 });
  expect(await done('DELETE', '/compliance_plans', { planIds: [plan.id, NOBODY] })).toEqual({
    status: 'success',
    deleted: 1,
  });
  expect((await send('GET', `/compliance_plans/${plan.id}`)).status).toBe(404);
});

test('an imported plan with a taken name is numbered, and a run reports the nodes that do not exist', async () => {
  const { node } = await nodeOf();
  const plan = await create(unique('Travels'), { nodes: [node] });
  const gone = { ...node, nodeId: NOBODY };
  expect(await done('POST', '/import/plans', { plans: [{ ...plan, nodes: [gone], site: 'north' }] })).toEqual(
    {
      status: 'success',
      message: 'Imported 1 compliance plan',
    },
  );
  const found = await done<{ plans: CompliancePlan[] }>('POST', '/search/compliance_plans', {
    name: `${plan.name} (1)`,
  });
  expect(found.plans).toMatchObject([{ site: 'north', created: plan.created, nodes: [gone] }]);
  const { status, json } = await send('POST', '/compliance_plans/run', { planId: found.plans[0]?.id });
  expect([status, (json as { message: string }).message]).toEqual([
    422,
    `Version initial of tree ${node.treeId} has no node ${NOBODY}`,
  ]);
});

test('a plan that the caller may not see is 404, and its runs are not found', async () => {
  const group = await fleet.groupOf(['apiread', 'apiwrite']);
  const { id } = await create(unique('Closed'), { gbac: { read: [group], write: [group] } });
  const { instanceId } = await runPlan(id);
  const found = (as: 'apiread') =>
    fleet.send('POST', '/search/compliance_plan_instances', { searchParams: { instanceId } }, { as });
  expect((await send('GET', `/compliance_plans/${id}`, undefined, { as: 'apiread' })).status).toBe(404);
  expect((await found('apiread')).json).toMatchObject({ totalCount: 0 });
  expect((await send('POST', '/compliance_plans/run', { planId: id }, { as: 'apiwrite' })).status).toBe(404);
});

test('an automation may name a plan, by its name or its id', async () => {
  const plan = await create(unique('Automated'));
  const caller = await fleet.as('admin');
  for (const component of [{ componentName: plan.name }, { componentId: plan.id }]) {
    const made = await caller.operationsManager.createAutomation({
      automation: { name: unique('every night'), componentType: 'ucm_compliance_plans', ...component },
    });
    expect(made.data).toMatchObject({ componentId: plan.id, componentName: plan.name });
  }
});

test.skipIf(!isLong)(
  'the devices of a device group count where the group is, and a group that a plan names is not deleted',
  async () => {
    const { at, node, devices, treeId } = await nodeOf();
    const [, second = ''] = devices;
    const name = unique('Group');
    const { id: groupId } = await done<{ id: string }>('POST', '/devicegroup', {
      groupName: name,
      deviceNames: [second],
    });
    const plan = await create(unique('Grouped'), { nodes: [{ ...node, deviceGroups: [groupId] }] });
    const instance = await ended((await runPlan(plan.id)).instanceId);
    expect((await reports(instance.batchId)).map(({ deviceName }) => deviceName)).toEqual([second]);
    expect(await done('DELETE', '/deviceGroups', { groupIds: [groupId] })).toEqual({
      status: 'conflict',
      deleted: 0,
      conflicts: [{ id: groupId, usedBy: [`plan ${plan.name}`] }],
    });
    await done('POST', '/configs/devices/groups', {
      treeId,
      version: 'initial',
      nodePath: 'base',
      deviceGroups: [groupId],
    });
    expect((await fleet.run(at('base'))).map(({ deviceName }) => deviceName)).toEqual([second]);
    await done('PUT', '/node/config', {
      treeId,
      treeVersion: 'initial',
      nodePath: 'base/site',
      data: {
        template: "{% if 'Group' in device.groups[0] %}logging on\n{% endif %}hostname {/.+/}\n",
        variables: { device: { groups: [''] } },
      },
      updateVariables: true,
    });
    const [report] = await fleet.run({ ...at('base/site'), devices: [second] });
    expect(report?.issues.map(({ message }) => message)).toEqual(['Required line is missing: logging on']);
  },
);

test('a missing device group is rejected by its place', async () => {
  const { node } = await nodeOf();
  const rejected = await send('POST', '/compliance_plans', {
    name: unique('No group'),
    options: { nodes: [{ ...node, deviceGroups: [NOBODY] }] },
  });
  expect(issuesOf(rejected)).toEqual([
    `options.nodes.0.deviceGroups.0: no device group has the id ${NOBODY}`,
  ]);
});
