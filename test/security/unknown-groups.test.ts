import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { newId } from '#db/ids.ts';
import { openConfiguration } from '../helpers/configuration.ts';

const { call, db } = await openConfiguration();

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

/** Id of a group that exists. */
const adminGroup = async () => (await rows<{ id: string }>(db, sql`select id from groups limit 1`))[0]?.id;

/** Every write with an access list, and the place of the unknown group in it. */
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

const tree = (name: string, lists: Json) => ({
  data: [
    {
      ...{ name, version: 'initial', deviceType: 'cisco-ios', variables: {}, gbac: lists },
      root: { name: 'base', attributes: { devices: [], deviceGroups: [] }, children: [] },
    },
  ],
});
const prebuilt = (bundle: Json, name: string) => ({
  metadata: {
    ...{ name, version: '1.0.0', description: '', author: '', license: '', keywords: [] },
    ...{ repository: { type: 'git', hostname: '', path: '' }, IAPDependencies: {} },
  },
  manifest: {
    ...{ bundleName: name, fingerprint: '', createdEpoch: '0' },
    artifacts: [{ id: name, name, type: 'golden-config', location: '/bundles/a', properties: {} }],
  },
  bundles: [{ type: 'golden-config', data: { ...bundle, name } }],
  readme: '',
});

/** Every import with an access list: its place, the body, and how the documents are listed again. */
const IMPORTS: Record<string, { path: string; body: (name: string, lists: Json) => Json; table: string }> = {
  trees: {
    path: '/configuration_manager/import/goldenconfigs',
    body: (name, lists) => ({ trees: [tree(name, lists)] }),
    table: 'golden_trees',
  },
  backups: {
    path: '/configuration_manager/import/backups',
    body: (name, lists) => ({ backups: [{ name, rawConfig: 'hostname x', gbac: lists }] }),
    table: 'backups',
  },
  parsers: {
    path: '/configuration_manager/import/parsers',
    body: (name, lists) => ({ parsers: [{ name, template: 'json', gbac: lists }] }),
    table: 'parsers',
  },
  'device groups': {
    path: '/configuration_manager/import/groups',
    body: (name, lists) => ({ groups: [{ name, devices: [], gbac: lists }] }),
    table: 'device_groups',
  },
  'device templates': {
    path: '/configuration_manager/import/templates',
    body: (name, lists) => ({ templates: [{ name, template: 'hostname x', gbac: lists }] }),
    table: 'device_templates',
  },
  plans: {
    path: '/configuration_manager/import/plans',
    body: (name, lists) => ({ plans: [{ name, gbac: lists }] }),
    table: 'compliance_plans',
  },
  hosts: {
    path: '/automationgateway/inventory/cli/import',
    body: (name, lists) => ({ hosts: [{ ...host, name, gbac: lists }] }),
    table: 'gateway_hosts',
  },
  prebuilts: {
    path: '/prebuilts/import',
    body: (name, lists) => ({ prebuilt: prebuilt(tree(name, lists), `package-${name}`) }),
    table: 'golden_trees',
  },
};

/** Imports one document. @returns the message about it, and the access list that is stored */
async function imports(kind: keyof typeof IMPORTS, name: string, lists: Json) {
  const { path, body, table } = IMPORTS[kind] as (typeof IMPORTS)[string];
  const { status, text, json } = await call('admin', 'POST', path, body(name, lists));
  expect(status, text).toBe(200);
  const answer = json as { message: string; data?: { message?: string }[] };
  const message = kind === 'hosts' ? answer.data?.[0]?.message : answer.message;
  const [stored] = await rows<{ gbac: string }>(
    db,
    sql`select (doc -> 'gbac')::text as gbac from ${sql.raw(table)} where doc ->> 'name' = ${name}`,
  );
  return { message, gbac: JSON.parse(stored?.gbac ?? 'null') as unknown };
}

test.each(Object.keys(IMPORTS))(
  'an import of %s leaves groups out that do not exist, and reports it',
  async (kind) => {
    const known = (await adminGroup()) as string;
    const lists = { read: [known, NOBODY], write: [NOBODY, known] };
    const { message, gbac: stored } = await imports(kind, `Shared ${kind}`, lists);
    expect(stored).toEqual({ read: [known], write: [known] });
    expect(message).toContain(`Removed from access lists because the groups do not exist: ${NOBODY}.`);
    expect(message).not.toContain('Only admins');
  },
);

test.each(Object.keys(IMPORTS))(
  'an import of %s whose access list names groups of no one alone stays closed, and reports it',
  async (kind) => {
    const name = `Closed ${kind}`;
    const lists = { read: [NOBODY], write: [NOBODY] };
    const { message, gbac: stored } = await imports(kind, name, lists);
    expect(stored).toEqual(lists);
    expect(message).toContain(`Only admins may read because no group of the access list exists: ${name}.`);
    expect(message).toContain(`Only admins may write because no group of the access list exists: ${name}.`);
  },
);

test('an import whose groups all exist reports no missing groups', async () => {
  const known = await adminGroup();
  const { message } = await imports('plans', 'Whole', { read: [known], write: [known] });
  expect(message).toBe('Imported 1 compliance plan');
});

test('a host that an import left closed can be changed without naming its access list', async () => {
  await imports('hosts', 'closed-host', { read: [NOBODY], write: [NOBODY] });
  const changed = await call('admin', 'PATCH', '/automationgateway/inventory/cli/closed-host', {
    updates: { port: 2022 },
  });
  expect(changed.status, changed.text).toBe(200);
});

/** Every update that takes an access list of a document that an import can leave closed. */
const UPDATES: Record<string, { operation: string; input: (id: string, lists: Json) => Json }> = {
  trees: {
    operation: 'updateTree',
    input: (treeId, lists) => ({ treeId, options: { gbac: lists } }),
  },
  backups: { operation: 'updateBackup', input: (id, lists) => ({ id, gbac: lists }) },
  parsers: { operation: 'updateParser', input: (id, lists) => ({ id, options: { gbac: lists } }) },
  'device groups': {
    operation: 'updateDeviceGroup',
    input: (id, lists) => ({ id, details: { gbac: lists } }),
  },
  plans: { operation: 'updatePlan', input: (planId, lists) => ({ planId, options: { gbac: lists } }) },
};

test.each(Object.keys(UPDATES))(
  'the access list of %s that an import left closed can be sent back as it was read, and no other with unknown groups',
  async (kind) => {
    const name = `Sent back ${kind}`;
    const { gbac: stored } = await imports(kind, name, { read: [NOBODY], write: [NOBODY] });
    const { operation, input } = UPDATES[kind] as (typeof UPDATES)[string];
    const table = sql.raw(IMPORTS[kind]?.table ?? '');
    const [{ id = '' } = {}] = await rows<{ id: string }>(
      db,
      sql`select id from ${table} where doc ->> 'name' = ${name}`,
    );
    const sends = (lists: Json) =>
      call('admin', 'POST', `/trpc/configurationManager.${operation}`, input(id, lists));
    const same = await sends(stored as Json);
    expect(same.status, same.text).toBe(200);
    for (const lists of [gbac, { read: [NOBODY], write: [NOBODY, '65f000000000000000000001'] }]) {
      const other = await sends(lists);
      expect(other.status, other.text).toBe(400);
      expect(other.text).toContain('unknown_group');
    }
    const [after] = await rows<{ gbac: string }>(
      db,
      sql`select (doc -> 'gbac')::text as gbac from ${table} where id = ${id}`,
    );
    expect(JSON.parse(after?.gbac ?? 'null')).toEqual(stored);
  },
);
