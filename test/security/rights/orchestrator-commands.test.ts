import { expect, test } from 'vitest';
import { openOrchestrator, orchestratorAdapter } from '../../helpers/devices/orchestrator.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
const peer = await openOrchestrator();
const properties = orchestratorAdapter('main', peer.port);
const added = await service.send('admin', 'POST', '/adapters', { properties });
expect(added.status, added.text).toBe(200);
const keeps = async (policy: object) => {
  const answer = await service.send('admin', 'POST', '/automationgateway/command_policies', { policy });
  expect(answer.status, answer.text).toBe(200);
};
await keeps({ name: 'looks', allow: ['show', 'display'] });
await keeps({ name: 'no restart', deny: ['reload', 'write erase'] });
await keeps({ name: 'nexus only', device_types: ['cisco_nxos'], allow: ['ping'] });

const EXEC = 'live-status/tailf-ned-cisco-ios-stats:exec';
const device = '/restconf/data/tailf-ncs:devices/device=ce1';
const any = `${device}/${EXEC}/any`;
const input = (args: unknown, more: object = {}) => ({ input: { args, ...more } });

const runs = (path: string, body: object) =>
  service.send('admin', 'POST', '/orchestrator_manager/runAction/main', { path, body });
const acts = (path: string, body: object, method = 'POST') =>
  service.send('admin', 'POST', '/orchestrator_manager/restAction/main', {
    params: { path, accept: 'application/yang-data+json', method },
    body,
  });

/** Requests that would restart a device, or run what no policy allows. */
const HOSTILE: [string, string, object][] = [
  ['a command', any, input('reload')],
  ['an abbreviation', any, input('rel')],
  ['a list of words', any, input(['reload', 'in', '5'])],
  ['a list of commands', any, input(['show version', 'reload'])],
  ['a second command', any, input('show version ; reload')],
  ['a second command without spaces', any, input('show version;reload')],
  ['a command behind &&', any, input('show version && reload')],
  ['a pipe that writes', any, input('show run | redirect flash:x')],
  ['a pipe that appends', any, input('show run | append flash:x')],
  ['a substitution on an unknown kind of device', `${device}/live-status/exec/any`, input('show $(reload)')],
  ['no listed command', any, input('clear counters')],
  ['the action itself', `${device}/${EXEC}/reload`, input('')],
  ['the action with words', `${device}/${EXEC}/clear`, input('counters')],
  ['an action without input', `${device}/${EXEC}/reload`, {}],
  ['a qualified input', any, { 'tailf-ned-cisco-ios-stats:input': { args: 'reload' } }],
  ['qualified arguments', any, { input: { 'tailf-ned-cisco-ios-stats:args': 'reload' } }],
  ['an answer to a question', any, input('show version', { 'auto-prompts': [{ answer: 'reload' }] })],
  ['a percent-encoded path', any.replace(':exec', '%3Aexec'), input('reload')],
  ['a twice encoded path', any.replace('exec', '%2565xec'), input('reload')],
  ['a query behind the path', `${any}?verbose`, input('reload')],
  ['a path parameter', any.replace('exec', 'exec;x=1'), input('reload')],
  ['no prefix', `${device}/live-status/exec/any`, input('reload')],
  [
    'the older form',
    '/api/running/devices/device/ce1/live-status/ios-stats:exec/_operations/any',
    input('reload'),
  ],
  [
    'another branch of operations',
    '/restconf/operations/devices/device=ce1/live-status/ios-stats:exec/any',
    input('reload'),
  ],
  ['what another kind of device may', any, input('ping 192.0.2.1')],
];

test.each(HOSTILE)(
  '%s below exec is denied by the command policies, and nothing is sent',
  async (_, path, body) => {
    peer.seen.length = 0;
    for (const answer of [await runs(path, body), await acts(path, body), await acts(path, body, 'PUT')]) {
      expect([answer.status, answer.json], answer.text).toEqual([
        403,
        expect.objectContaining({ reason: 'POLICY_DENIED' }),
      ]);
    }
    expect(peer.seen).toEqual([]);
  },
);

test('a line end in a command is rejected before any policy is checked', async () => {
  peer.seen.length = 0;
  const answer = await runs(any, input('show version\nreload'));
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('control characters')]);
  expect(peer.seen).toEqual([]);
});

test.each([
  ['a command that is allowed', any, input('show version')],
  ['an action that is allowed', `${device}/${EXEC}/show`, input('version')],
  ['a filter', any, input('show version | include uptime')],
  ['what its kind of device may', any.replace('cisco-ios', 'cisco-nx'), input('ping 192.0.2.1')],
])('%s is sent to the orchestrator', async (_, path, body) => {
  peer.seen.length = 0;
  await runs(path, body);
  expect(peer.seen.map((one) => [one.method, JSON.parse(one.body || '{}')])).toEqual([['POST', body]]);
});

test('actions of devices that send no commands ask no policy', async () => {
  peer.seen.length = 0;
  await runs(`${device}/check-sync`, {});
  expect(peer.seen).toHaveLength(1);
});
