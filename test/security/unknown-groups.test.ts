import { beforeAll, expect, test } from 'vitest';
import { newId } from '#db/ids.ts';
import { openConfiguration } from '../helpers/configuration.ts';

const { call } = await openConfiguration();

const NOBODY = '65f000000000000000000000';
const gbac = { read: [], write: [NOBODY] };
type Json = Record<string, unknown>;

const does = async (operation: string, input: Json) => {
  const { status, text, json } = await call('admin', 'POST', `/trpc/${operation}`, input);
  if (status !== 200) throw new Error(`${operation} answered ${status}: ${text}`);
  return (json as { result: { data: Json } }).result.data;
};
const configures = (method: string, input: Json) => does(`configurationManager.${method}`, input);

const ids: Record<string, unknown> = {};
const host = { name: 'edge-1', host: '192.0.2.11', device_type: 'cisco_ios', username: 'svc' };
beforeAll(async () => {
  ids.tree = (await configures('createTree', { name: 'Tree', deviceType: 'cisco-ios' })).id;
  ids.plan = (await configures('createPlan', { name: 'Plan' })).id;
  ids.deviceGroup = (await configures('createDeviceGroup', { groupName: 'Group', deviceNames: '' })).id;
  ids.backup = newId();
  await configures('importBackups', { backups: [{ id: ids.backup, name: 'edge-1', rawConfig: 'x' }] });
  await configures('createParser', { name: 'parser', template: 'json' });
  await does('automationgateway.createHost', { kind: 'cli', host });
});

/** Every write that takes an access list, and where the unknown group stands in it. */
const WRITES: [string, () => Json, (string | number)[]][] = [
  [
    'configurationManager.updateTree',
    () => ({ treeId: ids.tree, options: { gbac } }),
    ['options', 'gbac', 'write', 0],
  ],
  [
    'configurationManager.createPlan',
    () => ({ name: 'New', options: { gbac } }),
    ['options', 'gbac', 'write', 0],
  ],
  [
    'configurationManager.updatePlan',
    () => ({ planId: ids.plan, options: { gbac } }),
    ['options', 'gbac', 'write', 0],
  ],
  [
    'configurationManager.updateDeviceGroup',
    () => ({ id: ids.deviceGroup, details: { gbac } }),
    ['details', 'gbac', 'write', 0],
  ],
  ['configurationManager.updateBackup', () => ({ id: ids.backup, gbac }), ['gbac', 'write', 0]],
  [
    'configurationManager.createParser',
    () => ({ name: 'new', template: 'json', gbac }),
    ['gbac', 'write', 0],
  ],
  [
    'configurationManager.updateParser',
    () => ({ name: 'parser', options: { gbac } }),
    ['options', 'gbac', 'write', 0],
  ],
  [
    'automationgateway.createHost',
    () => ({ kind: 'cli', host: { ...host, name: 'new', gbac } }),
    ['host', 'gbac', 'write', 0],
  ],
  [
    'automationgateway.replaceHost',
    () => ({ kind: 'cli', name: 'edge-1', host: { ...host, gbac } }),
    ['host', 'gbac', 'write', 0],
  ],
  [
    'automationgateway.updateHost',
    () => ({ kind: 'cli', name: 'edge-1', updates: { gbac } }),
    ['updates', 'gbac', 'write', 0],
  ],
  [
    'operationsManager.createAutomation',
    () => ({ automation: { name: 'New', componentType: 'workflows', gbac } }),
    ['automation', 'gbac', 'write', 0],
  ],
];

test.each(WRITES)(
  '%s rejects an access list with a group that does not exist, and names it',
  async (operation, input, path) => {
    const answer = await call('admin', 'POST', `/trpc/${operation}`, input());
    expect(answer.status, answer.text).toBe(400);
    const { issues } = (answer.json as { error: { data: { issues: Json[] } } }).error.data;
    expect(issues).toEqual([{ path, message: `Group ${NOBODY} does not exist`, code: 'unknown_group' }]);
  },
);
