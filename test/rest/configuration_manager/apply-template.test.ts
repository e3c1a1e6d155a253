import { expect, test } from 'vitest';
import { liveDevices } from '../../helpers/devices/live-devices.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
type Fields = Record<string, unknown>;
const send = (method: string, path: string, body?: unknown) => service.send('admin', method, path, body);
const done = async (method: string, path: string, body?: unknown): Promise<Fields> => {
  const answer = await send(method, path, body);
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.json as Fields;
};
const device = liveDevices(done, service.platform.cli);
const PATH = '/configuration_manager/templates';

let made = 0;
async function template(source: string, deviceOSTypes: string[] = []): Promise<string> {
  const { data } = await done('POST', PATH, {
    name: `Template ${made++}`,
    template: source,
    variables: { ntp: '192.0.2.9', mtu: 1500 },
    options: { deviceOSTypes },
  });
  return String((data as Fields).id);
}
const apply = (deviceName: string, templateId: string, options?: Fields) =>
  send('POST', `${PATH}/apply`, { deviceName, templateId, ...(options && { options }) });

test('a template is rendered and its lines are pushed, after a backup; variables of the request go first', async () => {
  const { name, config } = await device(['hostname edge-r1']);
  const id = await template('ntp server {{ ntp }}\nmtu {{ mtu }}\n');
  const { status, json } = await apply(name, id, { variables: { mtu: 9000 } });
  expect([status, json]).toEqual([
    200,
    {
      status: 'success',
      message: `Pushed 2 lines to ${name}`,
      result: [{ value: '2 command(s) sent' }],
      chosenAdapter: 'gateway',
      commands: [
        { line: 'ntp server 192.0.2.9', status: 'SUCCESS' },
        { line: 'mtu 9000', status: 'SUCCESS' },
      ],
      backupId: expect.any(String),
    },
  ]);
  expect(config.running).toEqual(['hostname edge-r1', 'ntp server 192.0.2.9', 'mtu 9000']);
});

test('a dry run sends nothing to a device that cannot try lines', async () => {
  const { name, simulated } = await device(['hostname edge-r1']);
  expect(await apply(name, await template('mtu {{ mtu }}\n'), { dryRun: true })).toMatchObject({
    status: 200,
    json: { result: [{ value: expect.stringContaining('Nothing was sent') }] },
  });
  expect(simulated.sessions).toBe(0);
});

test('a template that cannot be rendered, or is for another device type, is rejected before the device is contacted', async () => {
  const { name, simulated } = await device(['hostname edge-r1']);
  for (const source of ['mtu {{ nobody }}\n', '{# nothing #}', 'show ?\n']) {
    expect(await apply(name, await template(source)), source).toMatchObject({
      status: 400,
      json: { issues: [{ path: expect.arrayContaining(['templateId']) }] },
    });
  }
  const other = await apply(name, await template('mtu 9000\n', ['juniper-junos']));
  expect([other.status, other.text]).toEqual([400, expect.stringContaining('is for juniper-junos')]);
  expect((await apply(name, await template('mtu 9000\n', ['cisco-ios']), { dryRun: true })).status).toBe(200);
  expect((await apply('nobody', await template('mtu 9000\n'))).status).toBe(404);
  expect((await apply(name, 'f'.repeat(24))).status).toBe(404);
  expect(simulated.sessions).toBe(0);
});

test('a line that the device rejects ends the run, and the status of each line is reported', async () => {
  const { name } = await device(['hostname edge-r1']);
  expect(await apply(name, await template('mtu 9000\nrefused line\nmtu 1500\n'))).toMatchObject({
    status: 502,
    json: {
      reason: 'LINE_REFUSED',
      data: [{ status: 'SUCCESS' }, { status: 'FAILED' }, { status: 'NOT_SENT' }],
    },
  });
});

test('only admins apply templates', async () => {
  const body = { deviceName: 'edge-1', templateId: 'f'.repeat(24) };
  expect((await service.send('apiwrite', 'POST', `${PATH}/apply`, body)).status).toBe(403);
});
