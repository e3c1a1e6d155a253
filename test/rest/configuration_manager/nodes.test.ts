import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import type { NodeDetail, TreeVersion } from '#db/schemas/golden-config/golden-tree.ts';
import { issuesOf, openConfiguration } from '../../helpers/configuration.ts';

const { count, done, send } = await openConfiguration();

let counter = 0;
let at = '';
let id = '';

beforeEach(async () => {
  const tree = await done<TreeVersion>('POST', '/configs', {
    name: `Tree ${counter++}`,
    deviceType: 'cisco-ios',
  });
  id = tree.id;
  at = `/configs/${id}/initial`;
  await done('POST', `${at}/base`, { name: 'access' });
});

const node = (path: string) => done<NodeDetail>('GET', `${at}/${path}`);
const names = async () => (await node('base')).children?.map(({ name }) => name);

test('a node comes with its path, its own spec and those it inherits, the root’s first', async () => {
  await done('POST', `${at}/base/access`, { name: 'north' });
  const [base, access, north] = [
    await node('base'),
    await node('base/access'),
    await node('base/access/north'),
  ];
  expect(base).toMatchObject({ name: 'base', path: 'base', children: [{ name: 'access' }] });
  expect(north).toMatchObject({
    name: 'north',
    path: 'base/access/north',
    attributes: { devices: [], deviceGroups: [], remediationWorkflow: null, configId: north.spec._id },
    children: [],
    spec: { deviceType: 'cisco-ios', template: '', lines: [] },
  });
  expect(north.effective).toEqual([base.spec._id, access.spec._id, north.spec._id]);
});

test.each(['a b', '@edge:1', '50%', 'a%2Fb', 'ünïcode', 'a+b', 'x?y#z', "it's", 'groups', 'Devices'])(
  'a node called %s is made, read, renamed and deleted by its encoded name',
  async (name) => {
    const path = `${at}/base/access/${encodeURIComponent(name)}`;
    await done('POST', `${at}/base/access`, { name });
    expect(await done('GET', path)).toMatchObject({ name, path: `base/access/${name}` });
    await done('POST', path, { name: 'below' });
    expect(await done('GET', `${path}/below/`)).toMatchObject({ path: `base/access/${name}/below` });
    await done('POST', `${path}/devices`, { devices: ['edge-1'] });
    expect(await done('GET', path)).toMatchObject({ attributes: { devices: ['edge-1'] } });
    await done('PUT', path, { name: 'plain' });
    expect(await node('base/access/plain/below')).toMatchObject({ name: 'below' });
    await done('DELETE', `${at}/base/access/plain`);
    expect((await node('base/access')).children).toEqual([]);
  },
);

test.each([
  ['', 400],
  ['a/b', 400],
  ['devices', 400],
  ['..', 400],
  [' x', 400],
  ['access', 409],
])('a child of base cannot be called %j: %i', async (name, status) => {
  expect((await send('POST', `${at}/base`, { name })).status).toBe(status);
  await done('POST', `${at}/base`, { name: 'other' });
  expect((await send('PUT', `${at}/base/other`, { name })).status).toBe(status);
});

test('renaming a node keeps its position, specification and children, and accepts its own name', async () => {
  await done('POST', `${at}/base`, { name: 'core' });
  const before = await node('base/access');
  await done('PUT', `${at}/base/access`, { name: 'aggregation' });
  expect(await names()).toEqual(['aggregation', 'core']);
  expect((await node('base/aggregation')).spec).toEqual(before.spec);
  await done('PUT', `${at}/base/aggregation`, { name: 'aggregation' });
  await done('PUT', `${at}/base`, { name: 'root' });
  expect(await node('root/core')).toMatchObject({ path: 'root/core' });
});

test('the remediation workflow is set, kept and cleared', async () => {
  await done('PUT', `${at}/base/access`, { attributes: { remediationWorkflow: 'Mend edge' } });
  await done('PUT', `${at}/base/access`, { name: 'access', attributes: null });
  expect((await node('base/access')).attributes?.remediationWorkflow).toBe('Mend edge');
  await done('PUT', `${at}/base/access`, { attributes: { remediationWorkflow: null } });
  expect((await node('base/access')).attributes?.remediationWorkflow).toBeNull();
  const answer = await send('PUT', `${at}/base/access`, { attributes: { devices: [] } });
  expect(issuesOf(answer).join()).toContain('attributes.devices');
});

test('a node goes with everything below and its specs; the root stays', async () => {
  await done('POST', `${at}/base/access`, { name: 'north' });
  const { spec } = await node('base/access/north');
  await done('DELETE', `${at}/base/access`);
  expect(await names()).toEqual([]);
  expect((await send('GET', `/config_specs/${spec._id}`)).status).toBe(404);
  const answer = await send('DELETE', `${at}/base`);
  expect(answer).toMatchObject({ status: 400 });
  expect(issuesOf(answer).join()).toContain('is the root');
});

test('devices are put on a node and taken off, and repetitions change nothing', async () => {
  await done('POST', `${at}/base/access/devices`, { devices: ['edge-1', 'edge-2'] });
  await done('POST', `${at}/base/access/devices`, { devices: ['edge-2', 'edge-3'] });
  expect((await node('base/access')).attributes?.devices).toEqual(['edge-1', 'edge-2', 'edge-3']);
  await done('DELETE', `${at}/base/access/devices`, { devices: ['edge-1', 'nobody'] });
  await done('DELETE', `${at}/base/access/devices?devices=edge-2`);
  expect((await node('base/access')).attributes?.devices).toEqual(['edge-3']);
});

test('a device of another node of the version is rejected by name, and nothing is added', async () => {
  await done('POST', `${at}/base/access/devices`, { devices: ['edge-1'] });
  const answer = await send('POST', `${at}/base/devices`, { devices: ['core-1', 'edge-1'] });
  expect(answer).toMatchObject({
    status: 409,
    json: { message: expect.stringContaining('edge-1 on base/access') },
  });
  expect(issuesOf(answer)).toEqual(['devices.1: is already on node base/access']);
  expect((await node('base')).attributes?.devices).toEqual([]);
  await done('POST', `/configs/${id}`, { version: 'v2', base: 'initial' });
  await done('DELETE', `/configs/${id}/v2/base/access/devices`, { devices: ['edge-1'] });
  await done('POST', `/configs/${id}/v2/base/devices`, { devices: ['edge-1'] });
});

test('device groups are put on a node with the date, and taken off', async () => {
  const place = { treeId: id, version: 'initial', nodePath: '/base/access' };
  const groupNamed = (groupName: string) =>
    done<{ id: string }>('POST', '/devicegroup', { groupName, deviceNames: '' });
  const [{ id: one }, { id: other }] = [await groupNamed('East'), await groupNamed('West')];
  await done('POST', '/configs/devices/groups', { ...place, deviceGroups: [one, other] });
  const { attributes } = await node('base/access');
  expect(attributes?.deviceGroups).toEqual([
    { id: one, date: expect.stringMatching(/Z$/) },
    { id: other, date: expect.any(String) },
  ]);
  await done('DELETE', '/configs/devices/groups', { ...place, deviceGroups: [one] });
  expect((await node('base/access')).attributes?.deviceGroups).toMatchObject([{ id: other }]);
  expect((await send('POST', '/configs/devices/groups', { ...place, deviceGroups: ['x'] })).status).toBe(400);
  const none = await send('POST', '/configs/devices/groups', {
    ...place,
    deviceGroups: [other, '65f0c1d2e3a4b5c6d7e8f903'],
  });
  expect(none.status).toBe(400);
  expect(issuesOf(none)).toEqual(['deviceGroups.1: no device group has the id 65f0c1d2e3a4b5c6d7e8f903']);
});

test.each([
  ['GET', ''],
  ['POST', '', { name: 'x' }],
  ['PUT', '', { name: 'x' }],
  ['DELETE', ''],
  ['POST', '/devices', { devices: [] }],
  ['DELETE', '/devices', { devices: [] }],
])('%s %s of a missing node is 404', async (method, suffix, body?: unknown) => {
  const answer = await send(method, `${at}/base/nowhere${suffix}`, body);
  expect(answer).toMatchObject({ status: 404, json: { message: 'Node base/nowhere does not exist' } });
});

test('writers of one version wait for each other: every node exists, with one spec each', async () => {
  const wanted = Array.from({ length: 8 }, (_, n) => `node ${n}`);
  await Promise.all(wanted.map((name) => done('POST', `${at}/base`, { name })));
  expect((await names())?.toSorted()).toEqual(['access', ...wanted].toSorted());
  expect(
    await count(sql`from config_specs s join tree_versions v on v.id = version_id where tree_id = ${id}`),
  ).toBe(10);
});

test('If-Match is compared with the version of the node', async () => {
  const { lastUpdated } = await done<TreeVersion>('GET', at);
  const ifMatch = `"${lastUpdated}"`;
  expect((await send('PUT', `${at}/base/access`, { name: 'edge' }, { ifMatch })).status).toBe(200);
  expect((await send('DELETE', `${at}/base/edge`, undefined, { ifMatch })).status).toBe(409);
  expect((await send('DELETE', `${at}/base/edge/devices`, { devices: [] }, { ifMatch })).status).toBe(409);
});
