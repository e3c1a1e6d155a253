import { afterAll, expect, test } from 'vitest';
import { liveDevices } from '../helpers/devices/live-devices.ts';
import { createPerson, sendAs, signIn } from '../helpers/people.ts';
import { unique } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const done = async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
  const answer = await service.send('admin', method, path, body);
  if (answer.status !== 200) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
  return answer.json as Body;
};
const decide = (configurationSecrets: string) =>
  done('PUT', '/authorization/access_default', { unlisted: 'readers', configurationSecrets });
afterAll(() => decide('shown'));
const live = liveDevices(done, service.platform.cli);
const { name: device } = await live(['hostname one', 'snmp-server community Lantern2 RO']);

/** An account that may use devices, and reads masks. */
async function operatorOf(...methods: [provenance: string, name: string][]) {
  const role = {
    name: unique('operator'),
    allowedMethods: methods.map(([provenance, name]) => ({ provenance, name })),
    allowedViews: [],
  };
  await done('POST', '/authorization/roles', { role });
  const token = await signIn(service, await createPerson(service, [role.name]));
  return (path: string, body: unknown) => sendAs(service, token, 'POST', path, body);
}

test('records parsed from the output of a device hold masks for an account that reads masks', async () => {
  await decide('masked');
  const operator = await operatorOf(['Automationgateway', 'sendCommands']);
  const template = String.raw`Value HOST (\S+)
Value COMMUNITY (\S+)

Start
  ^hostname $HOST
  ^snmp-server community $COMMUNITY -> Record
`.replaceAll(/\$([A-Z]+)/g, '$${$1}');
  const command = 'show running-config';
  const request = { hosts: [device], commands: [command], parse: [{ command, template }] };
  const masked = await operator('/automationgateway/cli/send_commands', request);
  expect(masked.status, masked.text).toBe(200);
  expect(masked.text).not.toContain('Lantern2');
  expect(masked.text).toContain('"HOST":"one"');
  const whole = await service.send('admin', 'POST', '/automationgateway/cli/send_commands', request);
  expect(whole.text).toContain('"COMMUNITY":"Lantern2"');
});

test('the lines of a push that a device rejects hold masks for an account that reads masks', async () => {
  await decide('masked');
  const operator = await operatorOf(['ConfigurationManager', 'applyDeviceTemplate']);
  const { data } = await done<{ data: { id: string } }>('POST', '/configuration_manager/templates', {
    name: unique('template'),
    template: 'snmp-server community Lantern3 RO\nrefused line\n',
  });
  const request = { deviceName: device, templateId: data.id };
  const rejected = await operator('/configuration_manager/templates/apply', request);
  expect(rejected.status, rejected.text).toBe(502);
  expect(rejected.text).not.toContain('Lantern3');
  expect(rejected.json).toMatchObject({
    reason: 'LINE_REFUSED',
    message: expect.stringContaining('line 2 was rejected'),
    data: [
      { line: 'snmp-server community ********', status: 'SUCCESS' },
      { line: 'refused line', status: 'FAILED' },
    ],
  });
  const whole = await service.send('admin', 'POST', '/configuration_manager/templates/apply', request);
  expect(whole.text).toContain('Lantern3');
});

test.each([
  ['the secret of the line, alone', 'community Lantern9', "before '********'"],
  ['another line', 'snmp-server_community_Lantern9', "before 'snmp-server community ********"],
])('a rejection in which a device repeats %s holds masks', async (_, words, said) => {
  await decide('masked');
  const operator = await operatorOf(['ConfigurationManager', 'applyDeviceTemplate']);
  const { data } = await done<{ data: { id: string } }>('POST', '/configuration_manager/templates', {
    name: unique('template'),
    template: `refused saying ${words}\n`,
  });
  const request = { deviceName: device, templateId: data.id };
  const rejected = await operator('/configuration_manager/templates/apply', request);
  expect(rejected.status, rejected.text).toBe(502);
  expect(rejected.text).not.toMatch(/[' ]Lantern9/);
  expect(rejected.json).toMatchObject({
    message: expect.stringContaining(said),
    data: [{ status: 'FAILED', message: expect.stringContaining(said) }],
  });
});

test('a command policy that denies a line does not repeat its secret', async () => {
  await decide('masked');
  const operator = await operatorOf(['ConfigurationManager', 'applyDeviceTemplate']);
  const { data } = await done<{ data: { id: string } }>('POST', '/configuration_manager/templates', {
    name: unique('template'),
    template: 'snmp-server community Lantern7 RO\n',
  });
  const policy = { name: unique('policy'), allow: ['show', 'configure terminal', 'end'] };
  await done('POST', '/automationgateway/command_policies', { policy });
  const denied = await operator('/configuration_manager/templates/apply', {
    deviceName: device,
    templateId: data.id,
  });
  expect(denied.status, denied.text).toBe(403);
  expect(denied.text).toContain('snmp-server community ********');
  expect(denied.text).not.toContain('Lantern7');
  await done('DELETE', `/automationgateway/command_policies/${encodeURIComponent(policy.name)}`);
});
