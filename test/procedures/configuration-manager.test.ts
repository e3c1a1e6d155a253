import { expect, test } from 'vitest';
import { cliHost } from '../helpers/gateway.ts';
import { issuePathsOf, NOBODY, rejectionOf, rolesThatMay, unique } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const { automationgateway, configurationManager } = await service.as('admin');

const createTree = async (name = unique('Edge')) => {
  const { id } = await configurationManager.createTree({ name, deviceType: 'cisco-ios' });
  return { name, treeId: id, base: { treeId: id, version: 'initial', nodePath: 'base' } };
};
const createDevice = async () => {
  const host = cliHost();
  await automationgateway.createHost({ kind: 'cli', host: host as never });
  return host.name;
};
const setRules = (treeId: string, template: string, variables: Record<string, unknown> = {}) =>
  configurationManager.setNodeConfig({
    treeId,
    treeVersion: 'initial',
    nodePath: 'base',
    data: { template, variables },
    updateVariables: true,
  });
const backup = (name: string, rawConfig = `hostname ${name}\n`) => ({
  name,
  rawConfig,
  date: '2026-02-03T04:05:06.000Z',
});

test('a tree begins with one version and one node, and is found by its name', async () => {
  const { name, treeId, base } = await createTree();
  expect(await configurationManager.getTree({ treeId })).toMatchObject({ name, deviceType: 'cisco-ios' });
  expect(await configurationManager.getNode(base)).toMatchObject({ name: 'base' });
  const found = await configurationManager.searchTrees({ name: name.toLowerCase() } as never);
  expect(found).toMatchObject({ total: 1, list: [{ name }] });
});

test('a taken name, an unknown parser and an unknown field of a tree are rejected', async () => {
  const { name, treeId } = await createTree();
  expect(await rejectionOf(createTree(name))).toMatchObject({ code: 'CONFLICT' });
  const strange = configurationManager.createTree({ name: unique('x'), deviceType: 'no-such-system' });
  expect((await rejectionOf(strange)).message).toContain('no-such-system');
  const update = configurationManager.updateTree({ treeId, options: { name: 5, more: 1 } } as never);
  expect((await issuePathsOf(update)).toSorted()).toEqual(['options.more', 'options.name']);
});

test('a node is created, renamed and deleted with the rest of its version untouched', async () => {
  const { treeId, base } = await createTree();
  const place = { treeId, version: 'initial' };
  await configurationManager.createNode({ ...place, parentNodePath: 'base', name: 'east coast' });
  await configurationManager.updateNode({ ...place, nodePath: 'base/east coast', name: 'east' });
  expect(await configurationManager.getNode({ ...place, nodePath: 'base/east' })).toMatchObject({
    name: 'east',
  });
  await configurationManager.deleteNode({ ...place, nodePath: 'base/east' });
  const gone = configurationManager.getNode({ ...place, nodePath: 'base/east' });
  expect(await rejectionOf(gone)).toMatchObject({ code: 'NOT_FOUND' });
  expect(await configurationManager.getNode(base)).toMatchObject({ name: 'base' });
});

test('a version is copied and deleted, but the last one stays', async () => {
  const { treeId } = await createTree();
  await setRules(treeId, 'ntp server {{ ntp }}\n', { ntp: '192.0.2.9' });
  await configurationManager.createVersion({ treeId, version: 'v2', base: 'initial' });
  await configurationManager.updateVersion({ treeId, version: 'v2', variables: { site: 'oslo' } });
  expect(await configurationManager.getVersion({ treeId, version: 'v2' })).toMatchObject({
    variables: { site: 'oslo' },
  });
  await configurationManager.deleteVersion({ treeId, version: 'v2' });
  const last = configurationManager.deleteVersion({ treeId, version: 'initial' });
  expect(await rejectionOf(last)).toMatchObject({ code: 'CONFLICT' });
});

test('a device sits on one node of a version at most', async () => {
  const { treeId, base } = await createTree();
  const device = await createDevice();
  await configurationManager.createNode({ treeId, version: 'initial', parentNodePath: 'base', name: 'east' });
  await configurationManager.addNodeDevices({ ...base, nodePath: 'base/east', devices: [device] });
  const twice = configurationManager.addNodeDevices({ ...base, devices: [device] });
  expect(await rejectionOf(twice)).toMatchObject({ code: 'CONFLICT' });
  await configurationManager.removeNodeDevices({ ...base, nodePath: 'base/east', devices: [device] });
  await configurationManager.addNodeDevices({ ...base, devices: [device] });
});

test('rules that cannot be parsed are rejected with their line', async () => {
  const { treeId } = await createTree();
  const { code, issues } = await rejectionOf(setRules(treeId, 'ntp {{ nobody }}\n'));
  expect(code).toBe('BAD_REQUEST');
  expect(issues.join()).toContain('nobody');
});

test('a configuration is checked against the rules of a node without being stored', async () => {
  const { treeId, base } = await createTree();
  const device = await createDevice();
  await setRules(treeId, '<e/>ntp server 192.0.2.9\n');
  await configurationManager.addNodeDevices({ ...base, devices: [device] });
  const check = (configuration: string) =>
    configurationManager.checkConfiguration({ options: { ...base, deviceName: device, configuration } });
  const { issues } = await check('hostname a\n');
  expect(issues).toMatchObject([{ severity: 'error', type: 'required' }]);
  expect((await check('ntp server 192.0.2.9\n')).issues).toEqual([]);

  const draft = (template: string) =>
    configurationManager.checkConfiguration({
      options: { ...base, deviceName: device, configuration: 'ntp server 192.0.2.9\n', template },
    });
  const checked = await draft('logging host 192.0.2.8\n');
  expect(checked).toMatchObject({ issues: [{ severity: 'warning' }], warnings: [] });
  await expect(draft('logging {{ host \n')).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  expect((await check('ntp server 192.0.2.9\n')).issues).toEqual([]);

  // A draft of the rules for another platform, for which nothing is stored yet.
  const ofPlatform = (platform: string, template: string) =>
    configurationManager.checkConfiguration({
      options: { ...base, deviceName: device, configuration: 'ntp server 192.0.2.9\n', template, platform },
    });
  expect(await ofPlatform('arista-eos', 'ntp server 192.0.2.9\nlogging host 192.0.2.8\n')).toMatchObject({
    deviceType: 'arista-eos',
    totals: { passes: 1 },
    issues: [{ severity: 'warning', type: 'required' }],
  });
  expect(await ofPlatform('cisco-ios', 'ntp server 192.0.2.9\n')).toMatchObject({ issues: [] });
  await expect(ofPlatform('no-platform', 'ntp\n')).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  expect((await check('ntp server 192.0.2.9\n')).issues).toEqual([]);

  const { treeId: id, version } = base;
  expect(await configurationManager.getCoverage({ treeId: id, version })).toMatchObject({
    assigned: 1,
    grades: { pass: 0, review: 0, fail: 0 },
    unchecked: { total: 1, list: [{ deviceName: device, nodePath: 'base' }] },
  });
});

test('a backup is imported once, found, annotated and deleted', async () => {
  const device = unique('edge').replace(' ', '-');
  await configurationManager.importBackups({ backups: [backup(device)] });
  const search = () => configurationManager.searchBackups({ options: { filter: { name: device } } } as never);
  const { total, list } = await search();
  expect(total).toBe(1);
  const id = list[0]?.id ?? '';
  expect(await configurationManager.getBackup({ id })).toMatchObject({
    name: device,
    rawConfig: `hostname ${device}\n`,
  });
  await configurationManager.updateBackup({ id, notes: 'kept' });
  expect(await configurationManager.getBackup({ id })).toMatchObject({ notes: 'kept' });
  await configurationManager.deleteBackups({ backupIds: [id] });
  expect((await search()).total).toBe(0);
});

test('a device group holds devices once, and is found by its devices', async () => {
  const [groupName, device] = [unique('North'), await createDevice()];
  const { id } = await configurationManager.createDeviceGroup({ groupName, deviceNames: [device] });
  await configurationManager.addGroupDevices({ id, devices: [device] });
  expect(await configurationManager.getDeviceGroup({ id })).toMatchObject({
    name: groupName,
    devices: [device],
  });
  expect(JSON.stringify(await configurationManager.listGroupsOfDevice({ deviceName: device }))).toContain(id);
  const taken = configurationManager.createDeviceGroup({ groupName, deviceNames: [] });
  expect(await rejectionOf(taken)).toMatchObject({ code: 'CONFLICT' });
  await configurationManager.deleteDeviceGroups({ groupIds: [id] });
  expect(await rejectionOf(configurationManager.getDeviceGroup({ id }))).toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('a parser of one’s own parses by its rules; expressions that RE2 does not accept are rejected', async () => {
  const name = unique('our-ios').replace(' ', '-');
  await configurationManager.createParser({ name, template: 'cisco-ios' } as never);
  const parsed = await configurationManager.testParser({ name, text: 'interface x\n mtu 9000\n' } as never);
  expect(JSON.stringify(parsed)).toContain('mtu');
  const lookahead = { name: unique('bad'), template: 'cisco-ios', lexRules: [['(?=a)', 'word']] };
  const call = configurationManager.createParser(lookahead as never);
  expect((await issuePathsOf(call))[0]).toMatch(/^lexRules\.0/);
  await configurationManager.deleteParser({ name });
});

test('a compliance plan is created, changed, found and deleted', async () => {
  const name = unique('Nightly');
  const { id: planId } = await configurationManager.createPlan({ name, options: { description: 'a' } });
  await configurationManager.updatePlan({ planId, options: { throttle: 3 } });
  expect(await configurationManager.getPlan({ planId })).toMatchObject({ name, throttle: 3 });
  expect(await rejectionOf(configurationManager.createPlan({ name }))).toMatchObject({ code: 'CONFLICT' });
  await configurationManager.deletePlans({ planIds: [planId] });
  expect(await rejectionOf(configurationManager.runPlan({ planId }))).toMatchObject({ code: 'NOT_FOUND' });
});

test('the remediation of a report that does not exist is reported', async () => {
  expect(await rejectionOf(configurationManager.getRemediation({ id: NOBODY }))).toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(await rejectionOf(configurationManager.getReport({ reportId: NOBODY }))).toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('apiread reads trees, apiwrite writes them, other roles do neither', async () => {
  expect(await rolesThatMay(service, (as) => as.configurationManager.listTrees({}))).toEqual([
    'admin',
    'apiread',
  ]);
  expect(await rolesThatMay(service, (as) => as.configurationManager.deleteTree({ treeId: NOBODY }))).toEqual(
    ['admin', 'apiwrite'],
  );
});
