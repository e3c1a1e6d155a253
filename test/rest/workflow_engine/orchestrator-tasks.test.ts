import { beforeEach, expect, test } from 'vitest';
import { queryValue } from '#server/domains/workflow/query/find.ts';
import { comparisonHolds } from '#server/domains/workflow/task-runs/values/compare.ts';
import { openOrchestrator, orchestratorAdapter } from '../../helpers/devices/orchestrator.ts';
import { done, worldOf } from '../../helpers/jobs/task-runs.ts';
import { openService } from '../../helpers/service.ts';

type Json = Record<string, unknown>;

const service = await openService();
const peer = await openOrchestrator();
const { caller } = await service.callerWith('admin');
const world = worldOf(service, caller.id);
const made = await service.send('admin', 'POST', '/adapters', {
  properties: orchestratorAdapter('main', peer.port),
});
if (made.status !== 200) throw new Error(made.text);

const nso = (name: string, incoming: Json) => done('NSO', name, { adapter_id: 'main', ...incoming }, world);
const services = (name: string, incoming: Json) => done('ServiceCog', name, incoming, world);
const audited = async () =>
  (await service.db.execute<{ name: string; account: string; credential: string }>(
    `select doc #>> '{document,name}' as name, doc ->> 'account' as account,
       concat_ws(' ', doc #>> '{credential,kind}', credential_id) as credential from audit
     where doc #>> '{document,id}' = 'main' order by id`,
  )) as unknown as { name: string; account: string; credential: string }[];

beforeEach(() => {
  peer.behave();
  peer.committed.length = 0;
  peer.seen.length = 0;
  peer.sync.clear();
});

test('devices out of sync are found by the query that workflows use, and read again', async () => {
  peer.sync.set('ce1', 'out-of-sync');
  const { outgoing } = await nso('checkSyncDevices', { devices: ['ce1', 'Pe-East'] });
  const query = 'value[*syncstatus!~/^in-sync$/].devicename';
  expect(queryValue(query, outgoing.sync_statuses)).toEqual(['ce1']);
  const synced = await nso('syncFromDevices', { devices: ['ce1'] });
  expect(synced).toMatchObject({
    finish: 'success',
    outgoing: { result: [{ device: 'ce1', result: true }] },
  });
  const again = await nso('checkSyncDevices', { devices: 'ce1' });
  expect(queryValue(query, again.outgoing.sync_statuses)).toEqual([]);
  peer.sync.set('ce1', 'out-of-sync');
  expect(await nso('syncFrom', { name: 'ce1' })).toMatchObject({ finish: 'success' });
  expect(peer.sync.get('ce1')).toBe('in-sync');
});

test('a device that cannot be read is an error with all results, and no names mean no device', async () => {
  const outcome = await nso('syncFromDevices', { devices: ['ce1', 'Pe-East'] });
  expect(outcome).toMatchObject({
    finish: 'error',
    error: { message: 'sync-from failed on Pe-East: connection refused', devices: ['Pe-East'] },
    outgoing: { result: [{ device: 'ce1' }, { device: 'Pe-East' }] },
  });
  peer.seen.length = 0;
  expect((await nso('syncFromDevices', { devices: [] })).outgoing).toEqual({ result: [] });
  expect((await nso('checkSyncDevices', { devices: [] })).outgoing).toEqual({ sync_statuses: { value: [] } });
  expect(peer.seen).toEqual([]);
  expect((await nso('syncFrom', { name: 'nobody' })).error).toMatchObject({ code: 'NOT_FOUND' });
});

test('a device is added with its driver and its keys are fetched; an existing device is not changed', async () => {
  const deviceInfo = {
    name: 'ce3',
    address: '192.0.2.53',
    port: '22',
    authgroup: 'default',
    'device-type': 'cli',
    ned: 'ios:ios',
    protocol: 'ssh',
  };
  expect(await nso('addDevice', { deviceInfo })).toMatchObject({ finish: 'success' });
  expect(JSON.parse(peer.seen.at(-1)?.body ?? '')).toEqual({
    'tailf-ncs:device': [
      {
        name: 'ce3',
        address: '192.0.2.53',
        port: 22,
        authgroup: 'default',
        'device-type': { cli: { 'ned-id': 'ios:ios', protocol: 'ssh' } },
        state: { 'admin-state': 'unlocked' },
      },
    ],
  });
  const credential = `job ${world.key.split('/')[0]}`;
  expect((await audited()).at(-1)).toEqual({ name: 'addDevice ce3', account: caller.username, credential });
  const taken = await nso('addDevice', { deviceInfo: { ...deviceInfo, name: 'ce1' } });
  expect(taken).toMatchObject({
    finish: 'error',
    error: { message: 'main: object already exists', status: 409 },
  });
  const fetched = await nso('fetchSSHKey', { device: 'ce1' });
  expect(fetched.outgoing.result).toMatchObject({ result: 'updated', fingerprint: [{ value: '0f:2e:11' }] });
  for (const [change, message] of [
    [{ ned: '' }, 'deviceInfo.ned is missing'],
    [{ 'device-type': 'ssh' }, 'deviceInfo.device-type must be one of cli, netconf, generic, snmp'],
    [{ port: 'x' }, 'deviceInfo.port must be a number'],
    [{ name: null }, 'name is missing'],
  ] as const)
    expect((await nso('addDevice', { deviceInfo: { ...deviceInfo, ...change } })).error?.message).toBe(
      message,
    );
});

test('an action is named by a RESTCONF path or a keypath, and commands in it obey the policies', async () => {
  const output = { 'tailf-ncs:output': { result: 'in-sync' } };
  for (const path of [
    '/restconf/data/tailf-ncs:devices/device=ce1/check-sync',
    '/ncs:devices/device{ce1}/check-sync',
  ]) {
    const { outgoing } = await nso('runAction', { params: { path, params: {} } });
    expect(outgoing.response, path).toEqual(output);
  }
  expect((await nso('runAction', { params: {} })).error?.message).toBe('params.path is missing');
  const upwards = await nso('runAction', { params: { path: '/ncs:devices/../x' } });
  expect(upwards.error?.message).toContain('must not contain . or .. as a segment');
  const policy = { name: 'no restart', deny: ['reload'] };
  const kept = await service.send('admin', 'POST', '/automationgateway/command_policies', { policy });
  expect(kept.status, kept.text).toBe(200);
  peer.seen.length = 0;
  const path = '/ncs:devices/device{ce1}/live-status/tailf-ned-cisco-ios-stats:exec/any';
  const denied = await nso('runAction', { params: { path, params: { args: 'reload' } } });
  expect(denied).toMatchObject({ finish: 'error', error: { code: 'FORBIDDEN' } });
  expect(peer.seen).toEqual([]);
});

test('XML is tried before it is committed, and only the commit changes anything', async () => {
  const payload =
    '<?xml version="1.0"?>\n<devices xmlns="http://tail-f.com/ns/ncs"><device><name>ce1</name></device></devices>';
  const tried = await nso('dryRunXML', { payload });
  expect(tried).toMatchObject({
    finish: 'success',
    outgoing: { result: { status: 'SUCCESS', devices: [{ name: 'ce1', data: 'vlan 100\n' }] } },
  });
  expect(peer.committed).toEqual([]);
  const done = await nso('provisionXML', { payload, options: '' });
  expect(done).toMatchObject({ finish: 'success', outgoing: { result: { status: 'SUCCESS' } } });
  expect(peer.committed).toEqual(['PATCH /restconf/data']);
  const sent = peer.seen.at(-1);
  expect(sent?.headers['content-type']).toBe('application/yang-data+xml');
  expect(sent?.body).toBe(
    '<data xmlns="urn:ietf:params:xml:ns:yang:ietf-restconf"><devices xmlns="http://tail-f.com/ns/ncs"><device><name>ce1</name></device></devices></data>',
  );
  expect((await audited()).at(-1)).toMatchObject({ name: 'provisionXML', account: caller.username });
});

test('rejected XML is data of a dry run, and an error of a commit', async () => {
  const payload = '<vpn xmlns="http://example.net/vpn"><vlan>5000</vlan></vpn>';
  const tried = await nso('dryRunXML', { payload });
  expect(tried).toMatchObject({ finish: 'success', outgoing: { result: { status: 'FAILURE' } } });
  const committed = await nso('provisionXML', { payload });
  expect(committed).toMatchObject({
    finish: 'error',
    error: { message: 'main: vlan 5000 is not a valid value', reason: 'CONFIGURATION_REJECTED' },
    outgoing: { result: { status: 'FAILURE' } },
  });
  expect(peer.committed).toEqual([]);
  for (const [incoming, message] of [
    [{ payload: 'x' }, 'payload must be an XML document'],
    [
      { payload: '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>' },
      'payload must not declare',
    ],
    [{ payload, options: { dryRun: true } }, 'options.dryRun is not a known field'],
    [{ payload, options: { action: 'replace' } }, 'options.action must be merge'],
  ] as const)
    expect((await nso('provisionXML', incoming)).error?.message).toContain(message);
});

test('an orchestrator that is not known to honor dry runs is sent none', async () => {
  peer.behave({ version: '4.7' });
  const instance = { '/vpn:vpn': [{ name: 'blue', vlan: 7 }] };
  const old = await services('testInstances', { instance });
  expect(old).toMatchObject({ finish: 'error', error: { reason: 'DRY_RUN_NOT_PROVEN' } });
  expect(peer.seen.every(({ method }) => method === 'GET')).toBe(true);
  peer.behave({ ignoresDryRun: true });
  const ignored = await services('testInstances', { instance });
  expect(ignored).toMatchObject({ finish: 'error', error: { reason: 'DRY_RUN_NOT_HONOURED' } });
});

test('a service instance is read under the name of its model', async () => {
  const model = '/vpn:vpn';
  const { outgoing } = await services('getInstance', { model, value: 'blue' });
  expect(queryValue(`:get(${model})[0]`, outgoing.result)).toEqual({
    name: 'blue',
    vlan: 100,
    device: 'ce1',
  });
  const missing = await services('getInstance', { model, value: 'green' });
  expect(missing).toMatchObject({ finish: 'error', error: { code: 'NOT_FOUND' } });
  expect((await services('getInstance', { model, value: '' })).error?.message).toBe(
    'value must be the value of the key',
  );
  expect((await services('getInstance', { model: '/vpn vpn', value: 'a' })).error?.message).toContain(
    'model:',
  );
});

test('service instances are tried and written at their keys, which the schema of the orchestrator names', async () => {
  const instance = { '/vpn:vpn': [{ name: 'blue', vlan: 7 }] };
  const options = { sync: true, action: 'replace' };
  const tried = await services('testInstances', { instance, options });
  expect(comparisonHolds(tried.outgoing.result, 'contains', 'SUCCESS')).toBe(true);
  expect(peer.committed).toEqual([]);
  const saved = await services('saveInstances', { instance, options });
  expect(saved).toMatchObject({ finish: 'success', outgoing: { result: { status: 'SUCCESS' } } });
  expect(peer.committed).toEqual(['PUT /restconf/data/vpn:vpn=blue']);
  expect(JSON.parse(peer.seen.at(-1)?.body ?? '')).toEqual({ 'vpn:vpn': [{ name: 'blue', vlan: 7 }] });
  expect((await audited()).at(-1)?.name).toBe('saveInstances replace /vpn:vpn');
  const bad = await services('testInstances', { instance: { '/vpn:vpn': { name: 'blue', vlan: 5000 } } });
  expect(comparisonHolds(bad.outgoing.result, 'contains', 'SUCCESS')).toBe(false);
  expect(comparisonHolds(bad.outgoing.result, 'contains', 'vlan 5000')).toBe(true);
});

test('several instances are one transaction, and the path may contain keys', async () => {
  await services('saveInstances', {
    instance: {
      '/vpn:vpn': [{ name: 'blue' }, { name: 'red' }],
      '/ncs:services/acl:acl{edge-in}': { mtu: 1 },
    },
    options: { action: 'merge' },
  });
  expect(peer.committed).toEqual(['PATCH /restconf/data']);
  expect(peer.seen.at(-1)?.headers['content-type']).toBe('application/yang-patch+json');
  expect(JSON.parse(peer.seen.at(-1)?.body ?? '')).toMatchObject({
    'ietf-yang-patch:yang-patch': {
      edit: [
        { 'edit-id': '1', operation: 'merge', target: '/vpn:vpn=blue' },
        { 'edit-id': '2', operation: 'merge', target: '/vpn:vpn=red' },
        {
          'edit-id': '3',
          operation: 'merge',
          target: '/tailf-ncs:services/acl:acl=edge-in',
          value: { 'acl:acl': [{ mtu: 1 }] },
        },
      ],
    },
  });
  peer.committed.length = 0;
  await services('saveInstances', { instance: { '/vpn:vpn{blue}': {} }, options: { action: 'delete' } });
  expect(peer.committed).toEqual(['DELETE /restconf/data/vpn:vpn=blue']);
  for (const [incoming, message] of [
    [{ instance: {} }, 'instance: holds no instance'],
    [{ instance: { '/acl:acl': [{ name: 'x' }] } }, 'names a list whose keys are not known'],
    [{ instance: { '/vpn:vpn': [{ vlan: 7 }] } }, 'is a key of the list and must be set'],
    [{ instance: { '/vpn:vpn': ['blue'] } }, 'must be an instance'],
    [{ instance: { '/vpn:vpn': [] }, options: { action: 'swap' } }, 'options.action must be one of'],
  ] as const)
    expect((await services('saveInstances', incoming)).error?.message).toContain(message);
});

test('an unknown adapter, or one of another model, is an error that names it', async () => {
  expect((await nso('syncFrom', { adapter_id: 'lost', name: 'ce1' })).error?.message).toContain(
    'Adapter lost does not exist',
  );
  expect((await nso('syncFrom', { adapter_id: 'gateway', name: 'ce1' })).error?.message).toContain(
    'not Orchestrator',
  );
  expect(await nso('syncFrom', { adapter_id: '', name: 'ce1' })).toMatchObject({ finish: 'success' });
});
