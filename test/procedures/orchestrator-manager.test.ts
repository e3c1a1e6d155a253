import { beforeEach, expect, test } from 'vitest';
import { closedPort, openOrchestrator, orchestratorAdapter } from '../helpers/devices/orchestrator.ts';
import { rejectionOf, rolesThatMay } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const peer = await openOrchestrator();
const { adapters, orchestratorManager } = await service.as('admin');

const add = (name: string, connection: Record<string, unknown> = {}, port = peer.port) =>
  adapters.createAdapter({ properties: orchestratorAdapter(name, port, connection) as never });
await add('main', { default: true });
await add('dead', {}, await closedPort());

const ACCEPT = 'application/yang-data+json';
const query = (path: string, adapterId = 'main') =>
  orchestratorManager.restQuery({ adapterId, params: { path, accept: ACCEPT } });
const act = (path: string, method: string, body: Record<string, unknown> = {}) =>
  orchestratorManager.restAction({ adapterId: 'main', params: { path, accept: ACCEPT, method }, body });

beforeEach(() => {
  peer.behave();
  peer.committed.length = 0;
  peer.seen.length = 0;
});

test('a query answers what the orchestrator has at a path', async () => {
  expect(await query('/restconf/data/vpn:vpn=blue')).toEqual({
    instance_data: { 'vpn:vpn': [{ name: 'blue', vlan: 100, device: 'ce1' }] },
  });
  expect(await rejectionOf(query('/restconf/data/none'))).toMatchObject({ code: 'NOT_FOUND' });
});

test('an action is sent as it was given, and its status is part of the answer', async () => {
  const body = { 'vpn:vpn': [{ name: 'blue' }] };
  expect(await act('/restconf/data/vpn:vpn=blue', 'PATCH', body)).toEqual([{ result: '204' }]);
  expect(peer.committed).toEqual(['PATCH /restconf/data/vpn:vpn=blue']);
  expect(peer.seen[0]).toMatchObject({ body: JSON.stringify(body) });
});

test.each(['/restconf/../x', '/admin', 'http://192.0.2.1/restconf'])(
  'the path %s is rejected before anything is sent',
  async (path) => {
    expect(await rejectionOf(act(path, 'GET'))).toMatchObject({ code: 'BAD_REQUEST' });
    expect(peer.seen).toEqual([]);
  },
);

test('an orchestrator that cannot be reached, and an adapter that does not exist, are reported', async () => {
  expect(await rejectionOf(query('/restconf/data/vpn:vpn', 'dead'))).toMatchObject({ code: 'BAD_GATEWAY' });
  expect(await rejectionOf(query('/restconf/data/vpn:vpn', 'none'))).toMatchObject({ code: 'NOT_FOUND' });
});

test('device drivers and devices are found on every orchestrator that answers', async () => {
  expect(await orchestratorManager.getNedsDeep({ adapterId: 'main' })).not.toEqual([]);
  expect(await orchestratorManager.getAllNeds({})).toEqual(
    await orchestratorManager.getNeds({ adapterId: 'main' }),
  );
  expect(await orchestratorManager.findDevices({ substring: 'EAST' })).toEqual(['Pe-East']);
  expect(await orchestratorManager.findDevices({ substring: 'nothing' })).toEqual([]);
});

test('service data is validated by the default orchestrator without being committed', async () => {
  const validate = (vlan: number) =>
    orchestratorManager.validateCommit({
      servicePath: '/vpn:vpn',
      serviceData: { 'vpn:vpn': [{ name: 'blue', vlan }] },
    });
  expect(await validate(100)).toMatchObject({ isValid: true, message: '' });
  expect(await validate(5000)).toMatchObject({ isValid: false, message: expect.stringMatching(/./) });
  expect(peer.committed).toEqual([]);
});

test('the role other reads devices and drivers, only an admin sends requests', async () => {
  expect(await rolesThatMay(service, (as) => as.orchestratorManager.findDevices({ substring: 'x' }))).toEqual(
    ['admin', 'other'],
  );
  const denied = await rolesThatMay(service, (as) =>
    as.orchestratorManager.restQuery({ adapterId: 'none', params: { path: '/restconf/x', accept: ACCEPT } }),
  );
  expect(denied).toEqual(['admin']);
});
