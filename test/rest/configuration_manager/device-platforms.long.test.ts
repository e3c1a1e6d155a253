import { expect, test } from 'vitest';
import { openFleet } from '../../helpers/devices/fleet.ts';
import { cliHost } from '../../helpers/gateway.ts';

const { backUp, run, service, tree } = await openFleet();

const addHost = async (name: string, device_type: string) => {
  const answer = await service('admin', 'POST', '/automationgateway/inventory/cli', {
    host: cliHost({ name, device_type }),
  });
  expect(answer.status, answer.text).toBe(200);
};
const putOn = (treeId: string, devices: string[]) =>
  service('admin', 'POST', `/configuration_manager/configs/${treeId}/initial/base/devices`, { devices });

test('devices of another or of an unknown platform are reported when they are added to a tree', async () => {
  await addHost('right-1', 'cisco_ios');
  await addHost('wrong-1', 'arista_eos');
  const { at } = await tree('hostname {/.+/}\n');
  const { treeId } = at('base');
  const answer = await putOn(treeId, ['right-1', 'wrong-1', 'nobody-1', 'nobody-1']);
  expect(answer).toMatchObject({
    status: 200,
    json: {
      status: 'success',
      warnings: [
        expect.stringContaining('wrong-1 is of the platform arista-eos'),
        'Device nobody-1 is unknown',
      ],
    },
  });
  const fine = await putOn(treeId, ['right-1']);
  expect(fine.json).not.toHaveProperty('warnings');
});

test('a run reports that a tree does not apply to a device of another platform, and an error for an unknown device', async () => {
  await addHost('right-2', 'cisco_xe');
  await addHost('wrong-2', 'juniper_junos');
  const { at } = await tree('hostname {/.+/}\n');
  await putOn(at('base').treeId, ['right-2', 'wrong-2', 'nobody-2', 'stored-2']);
  await backUp({ 'right-2': 'hostname a\n', 'wrong-2': 'hostname b\n', 'stored-2': 'hostname c\n' });
  const reports = await run(at('base'));
  const reported = Object.fromEntries(reports.map((one) => [one.deviceName, one]));
  expect(reported['right-2']).toMatchObject({ status: 'complete' });
  expect(reported['stored-2']).toMatchObject({ status: 'complete' });
  expect(reported['wrong-2']).toMatchObject({
    status: 'notApplicable',
    error: 'device wrong-2 is of the platform juniper-junos, and the tree is for cisco-ios',
  });
  expect(reported['nobody-2']).toMatchObject({
    status: 'error',
    error: 'device nobody-2 has no backup, and it is not in an inventory',
  });
});
