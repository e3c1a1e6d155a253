import qs from 'qs';
import { afterAll, expect, test } from 'vitest';
import { operations } from '#server/http/operations.ts';
import { goldenTree } from './helpers/documents.ts';
import { openOrchestrator, orchestratorAdapter } from './helpers/orchestrator.ts';
import { prebuilt } from './helpers/prebuilts.ts';
import { openService } from './helpers/service.ts';
import { drawn, runs, task } from './helpers/workflows.ts';
import { SCRIPTS } from './lab/devices/scripts.ts';
import { ACCOUNT, openDevice } from './lab/devices/simulator.ts';
import { openGnoiTarget } from './lab/gnoi/target.ts';

/** Two services that go through the same: one by REST, the other by tRPC. */
const byRest = await openService();
const byTrpc = await openService();
/** An orchestrator that both of them talk to. */
const peer = await openOrchestrator();
const orchestrator = orchestratorAdapter('orch', peer.port);
/** A gNOI target, likewise. */
const target = await openGnoiTarget();
afterAll(() => target.close());
const gnoiHost = {
  name: 'leaf-1',
  host: '127.0.0.1',
  tls: { enabled: false },
  username: target.username,
  password: target.password,
};

/** A device that both of them talk to. */
const vtysh = await openDevice(SCRIPTS.find(({ device_type }) => device_type === 'frr') ?? never());
afterAll(() => vtysh.close());
const reached = (host: string, ...commands: string[]) => ({
  cliSendCommandParameters: { host, commands, connection_options: { device_type: 'frr' } },
});

function never(): never {
  throw new Error('there is no such device');
}

type Members = Record<string, unknown>;
/** What earlier answers of this service gave, by name. */
type Seen = Record<string, string>;
type Told = { status: number; body: unknown };
type Step = {
  operation: string;
  input: (seen: Seen) => Members;
  /** What later steps need of the answer. */
  keep?: (body: never) => Seen;
  /** Figures of this process and moment: only their names and types can be the same. */
  measured?: boolean;
};

const step = (
  operation: string,
  input: Members | ((seen: Seen) => Members) = {},
  more: Partial<Step> = {},
): Step => ({
  operation,
  input: typeof input === 'function' ? input : () => input,
  ...more,
});

const NOBODY = '65a000000000000000000000';
const backup = {
  id: '65a000000000000000000b01',
  name: 'edge-1',
  rawConfig: 'hostname edge-1\n',
  date: '2026-02-03T04:05:06.000Z',
};
const host = {
  name: 'edge-1',
  host: '192.0.2.11',
  device_type: 'cisco_ios',
  username: 'svc',
  password: 'Lantern-1',
};
const importedProject = {
  _id: '65a000000000000000000c01',
  name: 'Imported',
  components: [
    {
      iid: 4,
      type: 'mopCommandTemplate',
      reference: '@65a000000000000000000c01: IOS check',
      folder: '/Checks',
      document: {
        name: 'IOS check',
        os: '',
        passRule: true,
        commands: [],
        created: 1767225600000,
        lastUpdated: 1767225600000,
      },
    },
  ],
};
const at = (nodePath: string) => (seen: Seen) => ({ treeId: seen.tree, version: 'initial', nodePath });

const graded = (options: Members) => (seen: Seen) => ({ treeId: seen.tree, version: 'initial', options });

/** A life of the service in which every operation is called, and most refusals come up. */
const STEPS: Step[] = [
  step('session.signIn', { username: 'nobody', password: 'wrong' }),
  step('session.signIn', { user: { username: 'nobody' } }),
  step('session.whoAmI'),
  step('session.getSettings'),
  step('session.savePreferences', { preferences: { theme: 'dark' } }),
  step('session.savePreferences', { preferences: 5 }),
  step(
    'authorization.listRoles',
    { queryOptions: { sort: 'name' } },
    {
      keep: (body: { results: { _id: string; name: string }[] }) => ({ seeded: body.results[0]?._id ?? '' }),
    },
  ),
  step(
    'authorization.createRole',
    {
      role: {
        name: 'readers',
        description: '',
        allowedMethods: [{ name: 'getTree', provenance: 'ConfigurationManager' }],
        allowedViews: [],
      },
    },
    { keep: (body: { data: { _id: string } }) => ({ role: body.data._id }) },
  ),
  step('authorization.createRole', {
    role: { name: 'bad', allowedMethods: [{ name: 'no', provenance: 'such' }], allowedViews: [] },
  }),
  step('authorization.getRole', ({ role }) => ({ roleId: role })),
  step('authorization.updateRole', ({ role }) => ({ roleId: role, updates: { description: 'reads trees' } })),
  step('authorization.updateRole', ({ seeded }) => ({ roleId: seeded, updates: { description: 'mine' } })),
  step(
    'authorization.createGroup',
    ({ role }) => ({ group: { name: 'noc', description: 'night', assignedRoles: [{ roleId: role }] } }),
    { keep: (body: { data: { _id: string } }) => ({ group: body.data._id }) },
  ),
  step('authorization.createGroup', { group: { name: 'noc' } }),
  step('authorization.listGroups', { queryOptions: { contains: 'NO', containsField: 'name' } }),
  step('authorization.listGroups', { queryOptions: { sort: 'nonsense' } }),
  step('authorization.listGroupNames'),
  step('authorization.getGroup', ({ group }) => ({ groupId: group })),
  step('authorization.updateGroup', ({ group }) => ({ groupId: group, updates: { description: 'day' } })),
  step(
    'authorization.createAccount',
    ({ group }) => ({
      account: {
        username: 'mia',
        password: 'a-long-password-1',
        memberOf: [{ groupId: group, aaaManaged: false }],
      },
    }),
    { keep: (body: { data: { _id: string } }) => ({ account: body.data._id }) },
  ),
  step('authorization.createAccount', { account: { username: 'mia', password: 'short' } }),
  step('authorization.listAccounts', { queryOptions: { equals: 'mia', equalsField: 'username' } }),
  step('authorization.getAccount', ({ account }) => ({ accountId: account })),
  step('authorization.getAccount', { accountId: NOBODY }),
  step('authorization.updateAccount', ({ account }) => ({
    accountId: account,
    updates: { firstname: 'Mia' },
  })),
  step('authorization.changePassword', ({ account }) => ({
    accountId: account,
    newPassword: 'another-long-one-2',
  })),
  step('authorization.forceLogout', ({ account }) => ({ accountId: account })),
  step('authorization.exportAccess'),
  step('authorization.listMethods', { queryOptions: { limit: 3, sort: 'name' } }),
  step('authorization.listViews', { queryOptions: { multiContains: { path: 'MANAGER' }, sort: 'path' } }),
  step(
    'oauth.createServiceAccount',
    { accountData: { name: 'ci' } },
    {
      keep: (body: { results: { client_id: string; client_secret: string } }) => ({
        machine: body.results.client_id,
        secret: body.results.client_secret,
      }),
    },
  ),
  step(
    'oauth.issueToken',
    ({ machine, secret }) => ({
      grant_type: 'client_credentials',
      client_id: machine,
      client_secret: secret,
    }),
    { measured: true },
  ),
  step('oauth.issueToken', { grant_type: 'password' }),
  step('oauth.listServiceAccounts', { queryOptions: {} }),
  step('oauth.updateServiceAccount', ({ machine }) => ({
    client_id: machine,
    updates: { description: 'builds' },
  })),
  step('oauth.regenerateSecret', ({ machine }) => ({ client_id: machine })),
  step('oauth.deleteServiceAccount', ({ machine }) => ({ client_id: machine })),
  step(
    'configurationManager.createTree',
    { name: 'Edge', deviceType: 'cisco-ios' },
    { keep: (body: { id: string }) => ({ tree: body.id }) },
  ),
  step('configurationManager.createTree', { name: 'Edge', deviceType: 'cisco-ios' }),
  step('configurationManager.createTree', { name: 'Core', deviceType: 'no-such-system' }),
  step('configurationManager.listTrees'),
  step('configurationManager.searchTrees', { name: 'edg', options: { start: 0, limit: 5 } }),
  step('configurationManager.getTree', ({ tree }) => ({ treeId: tree })),
  step('configurationManager.getTree', { treeId: NOBODY }),
  step('configurationManager.updateTree', ({ tree }) => ({
    treeId: tree,
    options: { name: 'Edge routers' },
  })),
  step('configurationManager.updateTree', ({ tree }) => ({ treeId: tree, options: { name: 5, more: 1 } })),
  step('configurationManager.createNode', ({ tree }) => ({
    treeId: tree,
    version: 'initial',
    parentNodePath: 'base',
    name: 'east coast',
  })),
  step('configurationManager.updateNode', (seen) => ({ ...at('base/east coast')(seen), name: 'east' })),
  step('configurationManager.getNode', at('base/east'), {
    keep: (body: { attributes: { configId: string } }) => ({ spec: body.attributes.configId }),
  }),
  step('configurationManager.getNode', at('base/west')),
  step('configurationManager.getSpec', ({ spec }) => ({ id: spec })),
  ...['ntp server {{ ntp }}\n', 'ntp {{ nobody }}'].map((template) =>
    step('configurationManager.setNodeConfig', ({ tree }) => ({
      treeId: tree,
      treeVersion: 'initial',
      nodePath: 'base/west',
      data: { template, variables: { ntp: '192.0.2.9' } },
      updateVariables: true,
    })),
  ),
  step('configurationManager.updateSpec', ({ spec }) => ({
    id: spec,
    data: { template: '<e/>ntp a\nntp a' },
  })),
  step('configurationManager.updateSpec', ({ spec }) => ({ id: spec, data: { template: '', lines: [] } })),
  step('configurationManager.createSpec', { data: { deviceType: 'cisco-ios', template: '! none' } }),
  step('configurationManager.createSpec', { data: { deviceType: 'no-such', template: '' } }),
  step('configurationManager.generateSpec', {
    deviceType: 'cisco-ios',
    nativeConfig: 'interface x\n mtu 9000',
  }),
  step('configurationManager.translateSpec', ({ spec }) => ({ specId: spec })),
  step('configurationManager.translateSpec', {}),
  step('configurationManager.renderSpecTemplate', ({ spec }) => ({ specId: spec })),
  step('configurationManager.renderJinja2', { template: 'a {{ b }}', variables: { b: 1 } }),
  step('configurationManager.renderJinja2', { template: 'a {{ b }}' }),
  step('configurationManager.addNodeDevices', (seen) => ({ ...at('base/east')(seen), devices: ['edge-1'] })),
  step('configurationManager.addNodeDevices', (seen) => ({ ...at('base')(seen), devices: ['edge-1'] })),
  step('configurationManager.listTreeDevices', ({ tree }) => ({ treeId: tree })),
  step('configurationManager.listDeviceTrees', { deviceName: 'edge-1' }),
  step('configurationManager.removeNodeDevices', (seen) => ({
    ...at('base/east')(seen),
    devices: ['edge-1'],
  })),
  step('automationgateway.listDeviceTypes', { queryOptions: { limit: 2, sort: 'device_type' } }),
  step('automationgateway.createCredential', { credential: { name: 'net-ro', password: 'hush' } }),
  step('automationgateway.createCredential', { credential: { name: 'net-ro' } }),
  step('automationgateway.getCredential', { name: 'net-ro' }),
  step('automationgateway.createHost', {
    kind: 'grpc',
    host: { ...gnoiHost, port: target.port },
  }),
  step('automationgateway.executeTraceroute', { host: 'leaf-1', destination: '198.51.100.9' }),
  step('automationgateway.executeTraceroute', { host: 'leaf-9', destination: '198.51.100.9' }),
  step('automationgateway.executeTraceroute', { host: 'leaf-1', destination: '198.51.100.105' }),
  step('automationgateway.testGrpcHost', { name: 'leaf-1' }, { measured: true }),
  step('automationgateway.createHost', {
    kind: 'cli',
    host: {
      name: 'vtysh-1',
      host: '127.0.0.1',
      port: vtysh.port,
      device_type: 'frr',
      username: ACCOUNT.username,
      password: ACCOUNT.password,
    },
  }),
  step('automationgateway.testHost', { name: 'vtysh-1' }, { measured: true }),
  step('automationgateway.testHost', { name: 'nobody' }),
  step('automationgateway.sendCommand', reached('vtysh-1', 'show version'), { measured: true }),
  step('automationgateway.sendCommand', reached('vtysh-1', 'show\nversion')),
  step('automationgateway.sendCommand', reached('nobody', 'show version')),
  step(
    'automationgateway.sendCommands',
    { hosts: ['vtysh-1', 'nobody'], commands: ['show version'] },
    { measured: true },
  ),
  step('automationgateway.createPolicy', { policy: { name: 'reads', allow: ['show'] } }),
  step('automationgateway.createPolicy', { policy: { name: 'reads' } }),
  step('automationgateway.createPolicy', { policy: { name: 'none', roles: ['nobody'] } }),
  step('automationgateway.sendCommand', reached('vtysh-1', 'reload')),
  step('automationgateway.getPolicy', { name: 'reads' }),
  step('automationgateway.replacePolicy', { name: 'reads', policy: { name: 'reads', deny: ['reload'] } }),
  step('automationgateway.listPolicies', { queryOptions: { sort: 'name' } }),
  step('automationgateway.deletePolicy', { name: 'reads' }),
  step('automationgateway.deletePolicy', { name: 'reads' }),
  step('automationgateway.deleteHost', { kind: 'cli', name: 'vtysh-1' }),
  step('automationgateway.listHistory', { queryOptions: { limit: 3 } }, { measured: true }),
  step('automationgateway.replaceCredential', {
    name: 'net-ro',
    credential: { name: 'net-ro', username: 'svc' },
  }),
  step('automationgateway.listCredentials', { queryOptions: { equals: 'net-ro', equalsField: 'name' } }),
  step('automationgateway.createHost', { kind: 'cli', host }),
  step('automationgateway.createHost', { kind: 'cli', host }),
  step('automationgateway.createHost', {
    kind: 'cli',
    host: { ...host, name: 'bad', host: '169.254.169.254', device_type: 'toaster' },
  }),
  step('automationgateway.createHost', { kind: 'toaster', host }),
  step('automationgateway.getHost', { kind: 'cli', name: 'edge-1' }),
  step('automationgateway.getHost', { kind: 'grpc', name: 'edge-1' }),
  step('automationgateway.updateHost', { kind: 'cli', name: 'edge-1', updates: { port: 2222 } }),
  step('automationgateway.updateHost', {
    kind: 'cli',
    name: 'edge-1',
    updates: { tags: ['north'], created: '2026-01-01T00:00:00.000Z' },
  }),
  step('automationgateway.replaceHost', {
    kind: 'cli',
    name: 'edge-1',
    host: { ...host, password: '********' },
  }),
  step('automationgateway.setHostKey', { name: 'edge-1', fingerprint: `SHA256:${'k'.repeat(43)}` }),
  step('automationgateway.importHosts', {
    kind: 'grpc',
    hosts: [
      { name: 'leaf-1', host: '192.0.2.21' },
      { name: 'leaf-1', host: '192.0.2.22' },
    ],
  }),
  step('automationgateway.listHosts', {
    kind: 'cli',
    queryOptions: { contains: 'EDGE', containsField: 'name' },
  }),
  step('automationgateway.listHosts', {
    kind: 'cli',
    queryOptions: { contains: 'L', containsField: 'password' },
  }),
  step('automationgateway.exportHosts', { kind: 'grpc' }),
  step('automationgateway.deleteCredential', { name: 'net-ro' }),
  step('configurationManager.searchDevices', { options: { filter: { name: 'e' }, sort: [{ name: -1 }] } }),
  step('configurationManager.searchDevices', { options: { limit: 5000, sort: { colour: 1 } } }),
  step('configurationManager.getDevice', { name: 'edge-1' }),
  step('configurationManager.getDevice', { name: 'edge-9' }),
  step('configurationManager.getDeviceConfiguration', { name: 'edge-9' }),
  step('configurationManager.getDeviceConfigurationInFormat', { name: 'edge-9', format: 'native' }),
  step('configurationManager.getDeviceConfigurationInFormat', { name: 'edge-9', format: 'xml' }),
  step('configurationManager.isDeviceAlive', { name: 'edge-9' }),
  step('configurationManager.backUpDevice', { name: 'edge-9', options: { notes: 'none' } }),
  step('configurationManager.pushDeviceConfiguration', {
    deviceName: 'edge-9',
    config: { device: 'edge-9', config: 'mtu 9000' },
    options: { dryRun: true },
  }),
  step('configurationManager.pushDeviceConfiguration', {
    deviceName: 'edge-9',
    config: { device: 'edge-8', config: 'mtu 9000' },
  }),
  step(
    'configurationManager.createDeviceGroup',
    { groupName: 'North', deviceNames: 'edge-1, edge-9' },
    { keep: (body: { id: string }) => ({ devices: body.id }) },
  ),
  step('configurationManager.createDeviceGroup', { groupName: 'North', deviceNames: [] }),
  step('configurationManager.listDeviceGroups'),
  step('configurationManager.getDeviceGroup', { id: 'North' }),
  step('configurationManager.getDeviceGroupByName', { groupName: 'South' }),
  step('configurationManager.searchDeviceGroups', { query: { name: 'nor' }, options: { limit: 5 } }),
  step('configurationManager.listGroupsOfDevice', { deviceName: 'edge-1' }),
  step('configurationManager.updateDeviceGroup', { id: 'North', details: { description: 'all of it' } }),
  step('configurationManager.addGroupDevices', { id: 'North', devices: ['leaf-1'] }),
  step('configurationManager.removeGroupDevices', { id: 'North', devices: ['edge-9'] }),
  step('configurationManager.importDeviceGroups', { groups: [{ name: 'North', devices: [] }] }),
  step('configurationManager.addNodeDeviceGroups', (seen) => ({
    ...at('base')(seen),
    deviceGroups: [seen.devices],
  })),
  step('configurationManager.deleteDeviceGroups', ({ devices }) => ({ groupIds: [devices, NOBODY] })),
  step('configurationManager.deleteDeviceGroupsByName', { groupNames: ['North (1)'] }),
  step('configurationManager.lookupDiff', ({ spec }) => ({
    id: spec,
    collection: 'nodes',
    nextId: NOBODY,
    nextCollection: 'backups',
  })),
  step('configurationManager.lookupDiff', ({ spec }) => ({
    id: spec,
    collection: 'nodes',
    nextId: spec,
    nextCollection: 'nodes',
  })),
  step(
    'configurationManager.createDeviceTemplate',
    { name: 'NTP', template: 'ntp server {{ ntp }}\n', variables: { ntp: '192.0.2.9' } },
    { keep: (body: { data: { _id: string } }) => ({ template: body.data._id }) },
  ),
  step('configurationManager.createDeviceTemplate', { name: 'Bad', template: '{{' }),
  step('configurationManager.searchDeviceTemplates', { name: 'nt', options: { sort: { name: 1 } } }),
  step('configurationManager.updateDeviceTemplate', ({ template }) => ({
    id: template,
    data: { name: 'Time' },
  })),
  step('configurationManager.applyDeviceTemplate', ({ template }) => ({
    deviceName: 'nobody',
    templateId: template,
    options: { dryRun: true },
  })),
  step('configurationManager.importDeviceTemplates', { templates: [{ name: 'Time', template: 'x' }] }),
  step('configurationManager.deleteDeviceTemplates', ({ template }) => ({ templateIds: [template] })),
  step('automationgateway.deleteHost', { kind: 'grpc', name: 'leaf-1' }),
  step('configurationManager.addNodeDeviceGroups', (seen) => ({
    ...at('base')(seen),
    deviceGroups: [NOBODY],
  })),
  step('configurationManager.removeNodeDeviceGroups', (seen) => ({
    ...at('base')(seen),
    deviceGroups: [seen.devices],
  })),
  step('configurationManager.createVersion', ({ tree }) => ({
    treeId: tree,
    version: 'v2',
    base: 'initial',
  })),
  step('configurationManager.getVersion', ({ tree }) => ({ treeId: tree, version: 'v2' })),
  step('configurationManager.updateVersion', ({ tree }) => ({
    treeId: tree,
    version: 'v2',
    variables: { site: 'oslo', other: 1 },
  })),
  step('configurationManager.deleteVariables', ({ tree }) => ({
    treeId: tree,
    version: 'v2',
    variables: ['other'],
  })),
  step('configurationManager.deleteNode', (seen) => ({ ...at('base/east')(seen) })),
  step('configurationManager.deleteVersion', ({ tree }) => ({ treeId: tree, version: 'v2' })),
  step('configurationManager.deleteVersion', ({ tree }) => ({ treeId: tree, version: 'initial' })),
  step('configurationManager.exportTree', ({ tree }) => ({ treeId: tree })),
  step('configurationManager.importTrees', { trees: [goldenTree('Imported')] }),
  step('configurationManager.importTrees', { trees: [{ data: [] }] }),
  step('configurationManager.importBackups', { backups: [backup] }),
  step('configurationManager.importBackups', { backups: [{ ...backup, rawConfig: 'hostname changed\n' }] }),
  step('configurationManager.searchBackups', { options: { filter: { name: 'edge' } } }),
  step('configurationManager.getBackup', { id: backup.id }),
  step('configurationManager.updateBackup', { id: backup.id, notes: 'kept' }),
  step('configurationManager.deleteBackups', { backupIds: [backup.id] }),
  step('configurationManager.createParser', { name: 'our-ios', template: 'cisco-ios' }),
  step('configurationManager.createParser', { name: 'bad', template: 'none', lexRules: [['(?=a)', 'word']] }),
  step('configurationManager.listParsers', { options: { filter: { name: 'our' }, sort: { name: 1 } } }),
  step('configurationManager.listParsers', { options: { regex: true, filter: { name: '(' } } }),
  step(
    'configurationManager.searchParsers',
    { filter: { name: 'our-ios' } },
    { keep: (body: { parser: { _id: string } }) => ({ parser: body.parser._id }) },
  ),
  step('configurationManager.testParser', { name: 'our-ios', text: 'hostname a\nbanner motd ~b\n' }),
  step('configurationManager.testParser', { text: 'a' }),
  step('configurationManager.updateParser', { name: 'our-ios', options: { name: 'their-ios' } }),
  step('configurationManager.importParsers', {
    parsers: [{ name: 'lab-os', template: 'cisco-ios', lexRules: [['\\S+', 'word']] }],
  }),
  step('configurationManager.deleteParser', { name: 'lab-os' }),
  step('configurationManager.deleteParsers', ({ parser }) => ({ parserIds: [parser] })),
  step('configurationManager.gradeDevices', graded({ weights: { error: 1 }, nodePath: 'base' })),
  step('configurationManager.gradeDevices', { treeId: NOBODY, version: 'initial', options: {} }),
  step('configurationManager.gradeDevices', { treeId: 'x', version: 1, options: { more: 1 } }),
  step('configurationManager.readGrades', graded({})),
  step('configurationManager.gradeReport', { reportId: NOBODY }),
  step('configurationManager.gradeHistory', (seen) => ({ ...at('base')(seen), deviceName: 'edge-1' })),
  step('configurationManager.queryHistory', (seen) => ({
    ...at('base')(seen),
    filter: { deviceName: 'edge-1' },
    options: { start: 0, limit: 5 },
  })),
  step('configurationManager.searchHistory', { options: { devices: ['edge-1'], limit: 5 } }),
  step('configurationManager.searchHistory', { options: { limit: 0 } }),
  step('configurationManager.searchBackupHistory', { options: { backupIds: [NOBODY] } }),
  step('configurationManager.listHistory', { nodePath: 'base', start: 0, limit: 5 }),
  step(
    'configurationManager.runCompliance',
    (seen) => ({ options: { ...at('base')(seen), devices: ['edge-1'] } }),
    { keep: (body: { batchId: string }) => ({ batch: body.batchId }) },
  ),
  step('configurationManager.runCompliance', (seen) => ({ options: at('base/none')(seen) })),
  step('configurationManager.runComplianceOnBackups', (seen) => ({
    treeInfo: at('base')(seen),
    backupIds: [NOBODY],
  })),
  step('configurationManager.checkConfiguration', (seen) => ({
    options: { ...at('base')(seen), deviceName: 'edge-1', configuration: 'hostname edge-1\n' },
  })),
  step('configurationManager.getBatchStatus', ({ batch }) => ({ batchId: batch })),
  step('configurationManager.cancelBatch', ({ batch }) => ({ batchId: batch })),
  step('configurationManager.cancelBatch', ({ batch }) => ({ batchId: batch })),
  step('configurationManager.listReports', { deviceName: 'edge-1', limit: 5 }),
  step('configurationManager.listReports', { limit: 5000 }),
  step('configurationManager.getReport', { reportId: NOBODY }),
  step('configurationManager.getReports', { reportIds: [NOBODY] }),
  step('configurationManager.getBatchReports', { batchId: NOBODY, limit: 5 }),
  step('configurationManager.getBatchStatus', { batchId: NOBODY }),
  step('configurationManager.getTreeSummary', ({ tree }) => ({ treeId: tree, version: 'initial' })),
  step('configurationManager.getNodeSummary', ({ tree }) => ({ treeId: tree, nodePath: 'base' })),
  step('configurationManager.getNodeSummary', ({ tree }) => ({ treeId: tree, nodePath: 'base/none' })),
  step('configurationManager.listTopIssues', ({ tree }) => ({ treeId: tree, limit: 3 })),
  step('configurationManager.getTrend', ({ tree }) => ({
    treeId: tree,
    from: '2026-02-01',
    to: '2026-02-28',
  })),
  step('configurationManager.getTrend', ({ tree }) => ({
    treeId: tree,
    from: '2026-02-28',
    to: '2026-02-01',
  })),
  step('configurationManager.getMatrix', ({ tree }) => ({ treeId: tree, version: 'initial', limit: 5 })),
  step('configurationManager.proposeRemediations', {
    options: { reportIds: [NOBODY], severities: ['error'], types: ['required'], removeDisallowed: true },
  }),
  step('configurationManager.proposeRemediations', { options: { reportIds: [] } }),
  step('configurationManager.searchRemediations', ({ tree }) => ({
    options: { filter: { treeId: tree, status: 'proposed' }, sort: { created: 1 }, limit: 5 },
  })),
  step('configurationManager.countRemediations', ({ tree }) => ({ treeId: tree, status: 'stale' })),
  step('configurationManager.getRemediation', { id: NOBODY }),
  step('configurationManager.previewRemediation', { id: NOBODY }),
  step('configurationManager.selectRemediationChanges', { id: NOBODY, selected: ['c1'] }),
  step('configurationManager.approveRemediation', {
    id: NOBODY,
    configSha256: 'f'.repeat(64),
    comment: 'fine',
  }),
  step('configurationManager.approveRemediation', { id: NOBODY, configSha256: 'none' }),
  step('configurationManager.rejectRemediation', { id: NOBODY, reason: 'not now' }),
  step('configurationManager.applyRemediation', { id: NOBODY, configSha256: 'f'.repeat(64) }),
  step('configurationManager.deleteRemediation', { id: NOBODY }),
  step(
    'configurationManager.createPlan',
    { name: 'Nightly', options: { description: 'each night' } },
    { keep: (body: { id: string }) => ({ plan: body.id }) },
  ),
  step('configurationManager.createPlan', { name: 'Nightly' }),
  step('configurationManager.getPlan', ({ plan }) => ({ planId: plan })),
  step('configurationManager.updatePlan', ({ plan }) => ({ planId: plan, options: { throttle: 3 } })),
  step('configurationManager.addPlanNodes', ({ plan, tree }) => ({
    planId: plan,
    nodes: [{ treeId: tree, version: 'initial', nodeId: NOBODY }],
  })),
  step('configurationManager.removePlanNodes', ({ plan }) => ({ planId: plan, nodeIds: [NOBODY] })),
  step('configurationManager.runPlan', ({ plan }) => ({ planId: plan })),
  step('configurationManager.runPlan', { planId: NOBODY }),
  step('configurationManager.searchPlans', { name: 'night', options: { limit: 5 } }),
  step('configurationManager.searchPlanInstances', ({ plan }) => ({ searchParams: { planId: plan } })),
  step('configurationManager.importPlans', { plans: [{ name: 'Nightly' }] }),
  step('configurationManager.deletePlans', ({ plan }) => ({ planIds: [plan] })),
  step('configurationManager.deleteTree', ({ tree }) => ({ treeId: tree })),
  step('configurationManager.deleteTrees', { treeIds: [NOBODY] }),
  step(
    'operationsManager.createAutomation',
    { automation: { name: 'Nightly', componentType: 'workflows' } },
    { keep: (body: { data: { _id: string } }) => ({ automation: body.data._id }) },
  ),
  step('operationsManager.createAutomation', {
    automation: { name: 'Nightly', componentType: 'workflows' },
  }),
  step('operationsManager.createAutomation', {
    automation: { name: 'Lost', componentType: 'ucm_compliance_plans', componentName: 'No such plan' },
  }),
  step('operationsManager.listAutomations', {
    queryOptions: { contains: 'NIGHT', containsField: 'name', sort: 'name' },
  }),
  step('operationsManager.listAutomations', { queryOptions: { sort: 'nonsense' } }),
  step('operationsManager.getAutomation', ({ automation }) => ({ id: automation })),
  step('operationsManager.getAutomation', { id: NOBODY }),
  step('operationsManager.updateAutomation', ({ automation }) => ({
    id: automation,
    automation: { description: 'At night', createdBy: 'nobody' },
  })),
  step(
    'operationsManager.createTrigger',
    ({ automation }) => ({
      trigger: { name: 'By call', type: 'endpoint', routeName: 'nightly', actionId: automation },
    }),
    { keep: (body: { data: { _id: string } }) => ({ trigger: body.data._id }) },
  ),
  step('operationsManager.createTrigger', ({ automation }) => ({
    trigger: { name: 'By clock', type: 'schedule', actionId: automation },
  })),
  step('operationsManager.createTrigger', ({ automation }) => ({
    trigger: { name: 'By hand', type: 'manual', formId: 'No such form', actionId: automation },
  })),
  step('operationsManager.listTriggers', ({ automation }) => ({
    queryOptions: { actionId: automation, enabled: true },
  })),
  step('operationsManager.getTrigger', ({ trigger }) => ({ id: trigger })),
  step('operationsManager.exportTrigger', ({ trigger }) => ({ id: trigger })),
  step('operationsManager.updateTrigger', ({ trigger }) => ({ id: trigger, trigger: { enabled: false } })),
  step('operationsManager.updateTrigger', ({ trigger }) => ({ id: trigger, trigger: { topic: 'none' } })),
  step('operationsManager.exportAutomation', ({ automation }) => ({ id: automation })),
  step('operationsManager.cloneAutomation', ({ automation }) => ({ automation: { id: automation } }), {
    keep: (body: { data: { _id: string } }) => ({ clone: body.data._id }),
  }),
  step('operationsManager.cloneAutomation', { automation: { id: NOBODY } }),
  step('operationsManager.importAutomations', {
    automations: [
      { name: 'Nightly', triggers: [{ name: 'By event', type: 'eventSystem', source: 's', topic: 't' }] },
      { name: 'Lost', componentName: 'No such flow' },
    ],
  }),
  step('operationsManager.importTriggers', ({ automation }) => ({
    triggers: [{ name: 'By hand', type: 'manual', actionId: automation }],
  })),
  step('operationsManager.listEvents', { source: '@vendor/operations-manager' }),
  step('operationsManager.getEvent', { source: '@vendor/operations-manager', topic: 'jobCompleted' }),
  step('operationsManager.getEvent', { source: '@vendor/operations-manager', topic: 'none' }),
  step('operationsManager.deleteTrigger', ({ trigger }) => ({ id: trigger })),
  step('operationsManager.deleteTriggersOfAutomation', ({ automation }) => ({ id: automation })),
  step('operationsManager.deleteAutomation', ({ clone }) => ({ id: clone })),
  step(
    'automationStudio.createWorkflow',
    { automation: drawn('Runs', { a: task('newVariable', { name: 'x', value: 1 }, { value: null }) }) },
    { measured: true },
  ),
  step(
    'operationsManager.startJob',
    { workflow: 'Runs', options: { variables: { y: 2 } } },
    { measured: true, keep: (body: { data: { _id: string } }) => ({ job: body.data._id }) },
  ),
  step('operationsManager.startJob', { workflow: 'No such flow' }),
  step('operationsManager.listJobs', {
    queryOptions: { equals: { name: 'Runs' }, include: 'name,status,tasks.a.status' },
  }),
  step('operationsManager.listJobs', { queryOptions: { equals: { nonsense: '1' } } }),
  step('operationsManager.countJobs', { queryOptions: { contains: { name: 'run' } } }),
  step('operationsManager.getJob', ({ job }) => ({ jobId: job }), { measured: true }),
  step('operationsManager.getJob', ({ job }) => ({ jobId: job, queryOptions: { include: 'name' } })),
  step('operationsManager.getJob', { jobId: NOBODY }),
  step('operationsManager.getLargeData', { id: NOBODY }),
  step('operationsManager.pauseJobs', ({ job }) => ({ jobIds: [job, NOBODY] })),
  step('operationsManager.resumeJobs', ({ job }) => ({ jobIds: [job] })),
  step('operationsManager.watchJob', ({ job }) => ({ jobId: job })),
  step('operationsManager.unwatchJob', ({ job }) => ({ jobId: job })),
  step('operationsManager.watchJobs', ({ job }) => ({ jobIds: [job] })),
  step('operationsManager.unwatchJobs', ({ job }) => ({ jobIds: [job] })),
  step('operationsManager.addJobWatchers', ({ job }) => ({ jobId: job, watchers: [NOBODY] })),
  step('operationsManager.addJobGroups', ({ job }) => ({ jobId: job, groups: [NOBODY] })),
  step('operationsManager.setJobGroups', ({ job }) => ({ jobId: job, groups: [] })),
  step('operationsManager.clearJobGroups', ({ job }) => ({ jobId: job })),
  step('operationsManager.removeJobGroup', ({ job }) => ({ jobId: job, groupId: NOBODY })),
  step('operationsManager.revertJob', ({ job }) => ({ jobId: job, fromTask: 'a', toTask: 'a' })),
  step('operationsManager.listTasks', { queryOptions: { equals: { type: 'manual' } } }),
  step('operationsManager.countTasks', { queryOptions: {} }),
  step('operationsManager.getTask', { taskId: NOBODY }),
  step('operationsManager.claimTask', { taskId: NOBODY }),
  step('operationsManager.releaseTask', { taskId: NOBODY }),
  step('operationsManager.assignTask', { taskId: NOBODY, userId: NOBODY }),
  step('operationsManager.getManualController', ({ job }) => ({ jobId: job, taskId: 'a' })),
  step('operationsManager.finishTask', ({ job }) => ({
    jobId: job,
    taskId: 'a',
    taskData: { finish_state: 'success' },
  })),
  step('operationsManager.retryTask', ({ job }) => ({ jobId: job, taskId: 'a' })),
  step('operationsManager.continueJob', ({ job }) => ({ jobId: job, fromTask: 'a' }), { measured: true }),
  step('operationsManager.cancelJobs', ({ job }) => ({ jobIds: [job] })),
  step('operationsManager.deleteJobs', { jobIds: [NOBODY] }),
  step('operationsManager.deleteJob', ({ job }) => ({ jobId: job })),
  step(
    'operationsManager.createAutomation',
    { automation: { name: 'Runs it', componentType: 'workflows', componentName: 'Runs' } },
    { keep: (body: { data: { _id: string } }) => ({ runner: body.data._id }) },
  ),
  step(
    'operationsManager.createTrigger',
    ({ runner }) => ({ trigger: { name: 'By hand', type: 'manual', actionId: runner } }),
    { keep: (body: { data: { _id: string } }) => ({ byHand: body.data._id }) },
  ),
  step('operationsManager.createTrigger', ({ runner }) => ({
    trigger: { name: 'By route', type: 'endpoint', routeName: 'runs', actionId: runner },
  })),
  step('operationsManager.runManualTrigger', ({ byHand }) => ({ id: byHand, formData: { z: 3 } }), {
    measured: true,
  }),
  step('operationsManager.runManualTrigger', { id: NOBODY, formData: {} }),
  step(
    'operationsManager.runEndpointTrigger',
    { routeName: 'runs', endpointBody: { z: 3 } },
    { measured: true },
  ),
  step('operationsManager.runScheduleTrigger', ({ byHand }) => ({ id: byHand })),
  step('prebuilts.validatePrebuilt', { prebuilt: prebuilt('Ports') }),
  step('prebuilts.validatePrebuilt', { prebuilt: { metadata: { name: 'Ports' } } }),
  step(
    'prebuilts.importPrebuilt',
    { prebuilt: prebuilt('Ports') },
    { keep: (body: { data: { _id: string } }) => ({ prebuilt: body.data._id }) },
  ),
  step('prebuilts.importPrebuilt', { prebuilt: prebuilt('Ports') }),
  step('prebuilts.importPrebuilt', { prebuilt: prebuilt('Ports'), options: { overwrite: true } }),
  step('prebuilts.listPrebuilts', { queryOptions: { equals: 'Ports', equalsField: 'name' } }),
  step('prebuilts.getPrebuilt', (seen) => ({ id: seen.prebuilt })),
  step('prebuilts.exportPrebuilt', (seen) => ({ id: seen.prebuilt })),
  step('prebuilts.updatePrebuilt', (seen) => ({ id: seen.prebuilt, prebuilt: { readme: 'New' } })),
  step('prebuilts.deletePrebuilt', (seen) => ({ id: seen.prebuilt, deleteComponents: true })),
  step('prebuilts.deletePrebuilt', { id: NOBODY }),
  step(
    'automationStudio.createProject',
    { name: 'Upgrades', description: 'For tests' },
    { keep: ({ data }: { data: { _id: string } }) => ({ project: data._id }) },
  ),
  step('automationStudio.createProject', { name: 'Upgrades' }),
  step('automationStudio.listProjects', { queryOptions: { contains: { name: 'upgrade' }, limit: 5 } }),
  step('automationStudio.listProjects', { queryOptions: { include: 'name', exclude: 'name' } }),
  step('automationStudio.getProject', ({ project }) => ({ projectId: project })),
  step('automationStudio.getProject', { projectId: NOBODY }),
  step('automationStudio.updateProject', ({ project }) => ({
    projectId: project,
    description: 'changed',
    iid: 3,
  })),
  step('automationStudio.updateProject', ({ project }) => ({ projectId: project, members: [] })),
  step('automationStudio.setThumbnail', ({ project }) => ({ projectId: project, imageData: '' })),
  step('automationStudio.getThumbnail', ({ project }) => ({ projectId: project })),
  step('automationStudio.addComponents', ({ project }) => ({
    projectId: project,
    components: [{ type: 'workflow', reference: 'none' }],
  })),
  step('automationStudio.removeComponent', ({ project }) => ({
    projectId: project,
    componentId: 1,
    options: { mode: 'move' },
  })),
  step(
    'automationStudio.importProject',
    { project: importedProject },
    { keep: ({ data }: { data: { _id: string } }) => ({ imported: data._id }) },
  ),
  step('automationStudio.importProject', { project: { ...importedProject, components: [{ iid: 1 }] } }),
  step('automationStudio.exportProject', ({ imported }) => ({ projectId: imported })),
  step('automationStudio.removeComponent', ({ imported }) => ({
    projectId: imported,
    componentId: 4,
    options: { mode: 'move' },
  })),
  step('automationStudio.listReferencesTo', {
    'target-type': 'mopCommandTemplate',
    'target-identifiers': ['IOS check'],
  }),
  step('automationStudio.deleteProject', ({ imported }) => ({ projectId: imported })),
  step('profiles.createProfile', { properties: { id: 'lab', redisProps: { host: 'h', password: 'hush' } } }),
  step('profiles.createProfile', { properties: { id: 'lab' } }),
  step('profiles.getProfiles', { queryOptions: { equals: 'lab', equalsField: 'id' } }),
  step('profiles.getProfile', { id: 'lab' }),
  step('profiles.getProfile', { id: 'no such' }),
  step('profiles.updateProfile', { id: 'lab', properties: { description: 'for tests' } }),
  step('profiles.exportProfile', { id: 'lab' }),
  step('profiles.importProfile', { properties: { id: 'lab-2' } }),
  step('profiles.activateProfile', { id: 'lab' }),
  step('profiles.deleteProfile', { id: 'lab' }),
  step('profiles.deleteProfile', { id: 'lab-2' }),
  step('applications.getApplications', { queryOptions: { limit: 2 } }, { measured: true }),
  step('applications.getApplications', { queryOptions: { equals: 'x' } }),
  step('applications.getApplication', { name: 'Profiles' }),
  step('applications.getApplicationSchema', { name: 'Profiles' }),
  step('applications.updateApplication', { name: 'Profiles', properties: {} }),
  step('applications.updateApplicationProperties', { name: 'Profiles', properties: {} }),
  step('applications.setLogLevel', {
    name: 'Profiles',
    properties: { transport: 'console', level: 'debug' },
  }),
  step('applications.stopApplication', { name: 'Profiles' }),
  step('profiles.getProfile', { id: 'lab' }),
  step('applications.startApplication', { name: 'Profiles' }),
  step('applications.restartApplication', { name: 'Profiles' }),
  step('applications.stopApplication', { name: 'Health' }),
  step('applications.createApplication', { properties: { name: 'Mine' } }),
  step('health.getStatus', {}, { measured: true }),
  step('health.getServer', {}, { measured: true }),
  step('health.getSystem', {}, { measured: true }),
  step('health.getAdapters', { queryOptions: {} }, { measured: true }),
  step('health.getAdapter', { name: 'local_aaa' }, { measured: true }),
  step(
    'health.getApplications',
    { queryOptions: { equals: 'Health', equalsField: 'id' } },
    { measured: true },
  ),
  step('health.getApplication', { name: 'Health' }, { measured: true }),
  step('health.getVersion'),
  step('health.getOpenApi', { url: 'https://noc.example.net' }),
  step('audit.listEntries', {
    queryOptions: { limit: 5, equals: 'profiles.createProfile', equalsField: 'operation' },
  }),
  step(
    'automationStudio.createTemplate',
    { template: { name: 'Port', group: 'IOS', type: 'jinja2', template: 'vlan {{ vlan }}' } },
    { keep: (body: { created: { _id: string } }) => ({ template: body.created._id }) },
  ),
  step('automationStudio.createTemplate', { template: { name: 'Port', group: 'IOS', type: 'jinja2' } }),
  step('automationStudio.createTemplate', {
    template: { name: 'Bad', group: ' ', type: 'textfsm', template: 'Start' },
  }),
  step('automationStudio.listTemplates', { queryOptions: { equals: { name: 'Port' }, include: 'name' } }),
  step('automationStudio.listTemplates', { queryOptions: { limit: 1, skip: 3 } }),
  step('automationStudio.getTemplate', ({ template }) => ({ id: template })),
  step('automationStudio.updateTemplate', ({ template }) => ({
    id: template,
    update: { description: 'turns up', data: null },
  })),
  step('automationStudio.exportTemplate', ({ template }) => ({ id: template })),
  step('automationStudio.importTemplates', {
    templates: [{ name: 'Port', group: 'IOS', type: 'textfsm', template: 'broken' }],
  }),
  step('templateBuilder.renderJinja', { name: 'Port', context: { vlan: 7 } }),
  step('templateBuilder.renderJinja', { name: 'Nobody', context: {} }),
  step('templateBuilder.applyTemplate', { name: 'Port', variables: {} }),
  step('templateBuilder.parseTemplate', {
    template: 'Value A (\\w+)\n\nStart\n  ^a $A -> Record\n',
    text: 'a b\n',
  }),
  step('templateBuilder.parseTemplate', { name: 'Port', text: '' }),
  step('automationStudio.deleteTemplate', ({ template }) => ({ id: template })),
  step(
    'transformations.createTransformation',
    { transformation: { name: 'Shape', incoming: [], outgoing: [], steps: [], functions: [] } },
    { keep: (body: { _id: string }) => ({ transformation: body._id }) },
  ),
  step('transformations.createTransformation', { transformation: { name: 'Shape' } }),
  step('transformations.createTransformation', { transformation: { name: 'Bad', functions: [{}] } }),
  step('transformations.listTransformations', {
    queryOptions: { startsWith: 'sh', startsWithField: 'name' },
  }),
  step('transformations.getTransformation', ({ transformation }) => ({ id: transformation })),
  step('transformations.updateTransformation', ({ transformation }) => ({
    id: transformation,
    update: { name: 'Shape 2', incoming: [{ $id: 'in' }] },
  })),
  step('transformations.runTransformation', ({ transformation }) => ({
    id: transformation,
    incoming: { in: 1 },
    options: { validateIncoming: true },
  })),
  step('transformations.runTransformation', { id: NOBODY, incoming: {} }),
  step('transformations.importTransformation', { transformation: { name: 'Shape 2' } }),
  step('transformations.deleteTransformation', ({ transformation }) => ({ id: transformation })),
  step('transformations.deleteTransformation', { id: NOBODY }),
  step(
    'jsonForms.createForm',
    { form: { name: 'Upgrade', schema: { type: 'object' } } },
    { keep: (body: { doc: { _id: string } }) => ({ form: body.doc._id }) },
  ),
  step('jsonForms.createForm', { form: { name: 'Upgrade' } }),
  step('jsonForms.listForms'),
  step('jsonForms.getForm', ({ form }) => ({ id: form })),
  step('jsonForms.updateForm', ({ form }) => ({ id: form, options: { name: 'Upgrade 2' } })),
  step('jsonForms.validateData', { schema: { type: 'array' }, data: {} }),
  step('jsonForms.validateData', { schema: { type: 5 }, data: {} }),
  step('jsonForms.validateForm', ({ form }) => ({ id: form, data: 'anything' })),
  step('jsonForms.importForms', { forms: [{ name: 'Upgrade 2' }] }),
  step('jsonForms.deleteForms', ({ form }) => ({ ids: [form] })),
  step(
    'tags.createTag',
    { data: { name: 'core' } },
    { keep: (body: { _id: string }) => ({ tag: body._id }) },
  ),
  step('tags.createTag', { data: { name: 'core', description: null } }),
  step('tags.listTags'),
  step('tags.getTag', ({ tag }) => ({ id: tag })),
  step('tags.getTag', { id: NOBODY }),
  step('tags.createReference', ({ tag }) => ({ data: { ref_id: NOBODY, tag_id: tag } })),
  step('tags.getTagsByReference', { data: { ref_id: NOBODY } }),
  step('tags.findTags', { data: { name: 'core' } }),
  step('tags.updateTag', ({ tag }) => ({ _id: tag, data: { description: 'the middle' } })),
  step('tags.deleteTag', ({ tag }) => ({ _id: tag })),
  step('mop.createTemplate', {
    mop: {
      name: 'Precheck',
      commands: [{ command: 'show version', rules: [{ rule: '15', eval: 'contains' }] }],
    },
  }),
  step('mop.createTemplate', {
    mop: { name: 'Bad', commands: [{ command: 'x', rules: [{ rule: '(', eval: 'RegEx' }] }] },
  }),
  step('mop.createAnalyticTemplate', { template: { name: 'Compare', prepostCommands: [] } }),
  step('mop.createAnalyticTemplate', { template: { name: 'Compare' } }),
  step('mop.listTemplates'),
  step('mop.listAnalyticTemplates'),
  step('mop.listATemplate', { name: 'Precheck' }),
  step('mop.listATemplate', { name: 'Nobody' }),
  step('mop.listAnAnalyticTemplate', { name: 'Compare' }),
  step('mop.exportTemplate', { options: { _id: 'Precheck' }, type: 'templates' }),
  step('mop.exportTemplate', { options: {}, type: 'analytic' }),
  // Without a value for its variable no command is sent, and the devices of these steps are nowhere.
  step('automationgateway.createHost', { kind: 'cli', host: { ...host, name: 'mop-1' } }),
  step('mop.runCommandTemplate', { template: 'Nobody', devices: ['mop-1'] }),
  step('mop.runCommandTemplate', { template: 'Precheck', devices: ['nobody'] }),
  step('mop.runCommandTemplateSingleCommand', { templateId: 'Precheck', commandIndex: 1, devices: 'mop-1' }),
  step('mop.runCommand', { command: 'show <!absent!>', device: 'mop-1' }),
  step('mop.runCommand', { command: 'show <!list!>', device: 'mop-1', variables: { list: [1, 2] } }),
  step('mop.runCommandDevices', { command: 'show <!absent!>', devices: ['mop-1'] }),
  step('mop.runAnalyticsTemplate', {
    pre: { commands_results: [] },
    post: { command_results: [] },
    analytic_template_name: 'Compare',
  }),
  step('mop.runAnalyticsTemplateDevices', { pre: {}, post: {}, analytic_template_name: 'Compare' }),
  step('mop.diff', { pre: 'up', post: { down: true } }),
  step('mop.devices', { substring: 'MOP' }),
  step('mop.deviceObjects', { options: { filter: { name: 'mop' } } }),
  step('mop.updateTemplate', { mopID: 'Precheck', mop: { name: 'Precheck 2' } }),
  step('mop.replaceTemplate', { mopID: 'Precheck 2', mop: { name: 'Precheck 3' } }),
  step('mop.updateAnalyticTemplate', { mopID: 'Compare', template: { name: 'Compare 2' } }),
  step('mop.replaceAnalyticTemplate', { mopID: 'Compare 2', template: { name: 'Compare 3' } }),
  step('mop.importTemplate', { type: 'analytic', template: { name: 'Compare 3' } }),
  step('mop.importTemplate', { type: 'templates', template: { name: 'Precheck 3', commands: 5 } }),
  step('mop.deleteTemplate', { id: 'Precheck 3' }),
  step('mop.deleteAnalyticTemplate', { id: 'Nobody' }),
  step(
    'automationStudio.createWorkflow',
    { automation: drawn('Upgrade', { a1: task('delay', { time: '$var.job.seconds' }) }) },
    { keep: (body: { created: { _id: string } }) => ({ workflow: body.created._id }) },
  ),
  step('automationStudio.createWorkflow', { automation: drawn('Upgrade') }),
  step('automationStudio.createWorkflow', { automation: drawn('Bad', { 'no key': task('delay') }) }),
  step('automationStudio.listWorkflows', {
    queryOptions: { contains: { name: 'UPG' }, include: 'name,inputSchema', limit: 5 },
  }),
  step('automationStudio.listWorkflows', { queryOptions: { equals: { nonsense: 1 } } }),
  step('automationStudio.getWorkflow', { name: 'Upgrade' }),
  step('automationStudio.getWorkflow', { name: 'no such' }),
  step('automationStudio.updateWorkflow', ({ workflow }) => ({
    id: workflow,
    update: { description: 'of one device' },
  })),
  step('automationStudio.updateWorkflow', { id: 'no such', update: {} }),
  step('automationStudio.importWorkflows', {
    automations: [drawn('One', { a1: runs('Two') }), drawn('Two')],
  }),
  step('automationStudio.importWorkflows', { automations: [drawn('Two')] }),
  step('automationStudio.validateWorkflow', { workflow: drawn('Two', { a1: runs('Nobody') }) }),
  step('automationStudio.listApps'),
  step('automationStudio.getTask', { location: 'Application', pckg: 'MOP', method: 'reattempt' }),
  step('automationStudio.getTask', { location: 'Adapter', pckg: 'MOP', method: 'reattempt' }),
  step('automationStudio.getTasks', {
    inputsArray: [{ location: 'Application', pckg: 'WorkFlowEngine', method: 'query' }],
  }),
  step('workflowBuilder.listTasks'),
  step('workflowBuilder.getTaskDetails', { app: 'WorkFlowEngine', task: 'query' }),
  step('workflowBuilder.getTaskDetails', { app: 'WorkFlowEngine', task: 'no such' }),
  step('workflowBuilder.calculateSchemas', {
    workflow: drawn('x', { a1: task('delay', { time: '$var.job.seconds' }) }),
  }),
  step('workflowBuilder.calculateSchemas', { workflow: { tasks: 5 } }),
  step('workflowBuilder.importWorkflow', { workflow: drawn('Three') }),
  step('workflowBuilder.exportWorkflow', { options: { name: 'Three' } }),
  step('workflowBuilder.exportWorkflow', { options: {} }),
  step('workflowBuilder.renameWorkflow', { name: 'Two', newName: 'Second' }),
  step('workflowBuilder.renameWorkflow', { name: 'Second', newName: 'One' }),
  step('workflowBuilder.saveWorkflow', { workflow: drawn('Three', { a1: task('delay', { time: 5 }) }) }),
  step('workflowBuilder.replaceGroups', { name: 'Three', groups: ['default'] }),
  step('workflowBuilder.addGroup', { name: 'Three', group: NOBODY }),
  step('workflowBuilder.listGroups', { name: 'Three' }),
  step('workflowBuilder.removeGroup', { name: 'Three', group: 'default' }),
  step('workflowBuilder.removeGroup', { name: 'Three', group: 'default' }),
  step('workflowBuilder.removeGroups', { name: 'Three' }),
  step('workflowBuilder.deleteWorkflow', { name: 'Second' }),
  step('workflowBuilder.deleteWorkflow', { name: 'Three' }),
  step('adapterModels.listModels'),
  step('orchestratorManager.validateCommit', { servicePath: '/vpn:vpn', serviceData: {} }),
  step('adapters.createAdapter', { properties: orchestrator }),
  step('adapters.createAdapter', { properties: orchestrator }),
  step('adapters.createAdapter', { properties: { name: '9' } }),
  step('adapters.testAdapter', { name: 'orch' }, { measured: true }),
  step('adapters.testAdapter', { name: 'orch', properties: { port: 0 } }),
  step('adapters.listAdapters', {
    queryOptions: { equals: 'orch', equalsField: 'name', skipActiveSync: true },
  }),
  step('adapters.getAdapter', { name: 'orch' }),
  step('adapters.exportAdapter', { name: 'orch' }),
  step('adapters.getConnectionSchema', { name: 'orch' }),
  step('adapters.mapBrokers'),
  step('adapters.replaceAdapter', { name: 'orch', properties: orchestrator }),
  step('adapters.updateProperties', { name: 'orch', properties: { maxConcurrent: 4 } }),
  step('adapters.updateProperties', { name: 'orch', properties: { host: 'orch.example.net' } }),
  step('adapters.setLogLevel', { name: 'orch', loglevel: 'debug' }),
  step('adapters.listChanges', { name: 'orch' }),
  step('orchestratorManager.restAction', {
    adapterId: 'orch',
    params: { path: '/restconf/data/none', accept: 'application/yang-data+json', method: 'GET' },
    body: {},
  }),
  step('orchestratorManager.restAction', {
    adapterId: 'orch',
    params: { path: '/restconf/../x', accept: 'application/yang-data+json' },
    body: {},
  }),
  step('orchestratorManager.restQuery', {
    adapterId: 'orch',
    params: { path: '/restconf/data/none', accept: 'application/yang-data+json' },
  }),
  step('orchestratorManager.runAction', { adapterId: 'orch', path: '/restconf/data/x:act' }),
  step('orchestratorManager.getNedsDeep', { adapterId: 'orch' }),
  step('orchestratorManager.getNedsDeep', { adapterId: 'local_aaa' }),
  step('orchestratorManager.getNeds', { adapterId: 'orch' }),
  step('orchestratorManager.getAllNeds'),
  step('orchestratorManager.findDevices', { substring: 'e' }),
  step('adapters.syncAdapter', { name: 'orch' }),
  step('adapters.syncAdapter', { name: 'local_aaa' }),
  step('orchestratorManager.validateCommit', { servicePath: '/vpn:vpn', serviceData: { vlan: 5000 } }),
  step('adapters.stopAdapter', { name: 'orch' }),
  step('orchestratorManager.getNeds', { adapterId: 'orch' }),
  step('adapters.startAdapter', { name: 'orch' }),
  step('adapters.restartAdapter', { name: 'orch' }),
  step('adapters.deleteAdapter', { name: 'orch', force: true }),
  step('adapters.deleteAdapter', { name: 'gateway' }),
  step('adapters.importAdapter', { properties: orchestrator }),
  step('authorization.deleteGroup', ({ group }) => ({ groupId: group })),
  step('authorization.deleteRole', ({ role }) => ({ roleId: role })),
  step('session.signOutByLink', {}, { measured: true }),
];

/** Their whole answer is figures in another form, or ends the caller's session: they are tested by themselves. */
const APART = new Set(['events.stream', 'health.getMetrics', 'session.signOut']);

const byName = new Map(operations.map((operation) => [operation.name, operation]));

async function viaRest(name: string, input: Members): Promise<Told> {
  const operation = byName.get(name);
  if (!operation) throw new Error(`no operation ${name}`);
  const rest = { ...input };
  let path = operation.path;
  for (const parameter of operation.parameters) {
    path = path.replace(`:${parameter}`, encodeURIComponent(String(rest[parameter])));
    delete rest[parameter];
  }
  const { container, queried, method } = operation;
  const members = container
    ? { ...rest, ...((rest[container] ?? {}) as Members), [container]: undefined }
    : rest;
  const query = queried ? qs.stringify(members, { arrayFormat: 'repeat', encodeValuesOnly: true }) : '';
  const form = !operation.types.includes('application/json');
  const answer = await byRest.send(
    'admin',
    method,
    query ? `${path}?${query}` : path,
    queried ? undefined : rest,
    form ? { raw: qs.stringify(rest), headers: { 'Content-Type': 'application/x-www-form-urlencoded' } } : {},
  );
  // A typed caller knows one success only, and gets null where REST sends no body.
  const status = answer.status < 300 ? 200 : answer.status;
  return { status, body: answer.status === 204 ? null : (answer.json ?? answer.text) };
}

async function viaTrpc(name: string, input: Members): Promise<Told> {
  const answer = await byTrpc.send('admin', 'POST', `/trpc/${name}`, input);
  const { result, error } = answer.json as {
    result?: { data: unknown };
    error?: { message: string; data: Members };
  };
  if (result) return { status: 200, body: result.data };
  const { httpStatus, path: _, ...told } = error?.data ?? {};
  return { status: Number(httpStatus), body: { ...told, message: error?.message } };
}

/** An answer without what no two services share: ids in the order in which they come up, moments, secrets. */
function comparer() {
  const ids = new Map<string, string>();
  const numbered = (id: string) => {
    if (!ids.has(id)) ids.set(id, `id-${ids.size + 1}`);
    return ids.get(id) ?? id;
  };
  return (body: unknown): unknown =>
    JSON.parse(
      JSON.stringify(body)
        .replaceAll(/"requestId":"[^"]+"/g, '"requestId":"<request>"')
        .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
        .replaceAll(/\b[0-9a-f]{24}\b/g, numbered)
        .replaceAll(/admin-[0-9a-f]{6}/g, 'admin-<n>')
        .replaceAll(/"(created|lastUpdated)":\d+/g, '"$1":"<time>"')
        .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g, '<time>'),
    );
}

/** The names and types of what is measured. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}

test('every operation answers alike through tRPC and through REST, refusals included', async () => {
  const sides = [
    { call: viaRest, seen: {} as Seen, plain: comparer() },
    { call: viaTrpc, seen: {} as Seen, plain: comparer() },
  ];
  for (const [index, { operation, input, keep, measured }] of STEPS.entries()) {
    const told: { status: number; body: unknown }[] = [];
    for (const side of sides) {
      const { status, body } = await side.call(operation, input(side.seen));
      if (keep && status === 200) Object.assign(side.seen, keep(body as never));
      told.push({ status, body: measured ? shapeOf(body) : side.plain(body) });
    }
    expect(told[1], `step ${index}: ${operation}`).toEqual(told[0]);
    expect(told[0]?.status, `step ${index}: ${operation} ${told[0]?.body}`).toBeLessThan(
      500 + (operation === 'profiles.getProfile' ? 4 : 0),
    );
  }
}, 60_000);

test('no operation is left out of the comparison', () => {
  const compared = new Set(STEPS.map(({ operation }) => operation));
  const left = operations.map(({ name }) => name).filter((name) => !compared.has(name) && !APART.has(name));
  expect(left).toEqual([]);
});
