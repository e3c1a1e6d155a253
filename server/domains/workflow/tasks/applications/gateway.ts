import { ADMIN, CONFIG_READ } from '#server/kernel/roles.ts';
import { operation } from '../operations.ts';
import { LIST, needs, OBJECT, outgoingSchema, TEXT, takes, taskOf } from '../task-type.ts';

const names = { items: { type: TEXT, examples: ['edge-1'] } };

const targets = {
  _hosts: takes([LIST, TEXT], 'Names of hosts of the inventory', ['edge-1'], names),
  _groups: takes([LIST, TEXT], 'Names of device groups, whose devices are added'),
};
const stdout = outgoingSchema(
  OBJECT,
  'Responses by host and command: `completed[0].response[].{host,command,status,stdout,results}`',
);
const group = operation('ConfigurationManager.getDeviceGroup', CONFIG_READ);

/** Tasks of an automation gateway that imported workflows name. */
export const GATEWAY = [
  taskOf('AGManager', 'itential_cli', {
    summary: 'Send commands to hosts',
    description:
      'Runs the same commands on several hosts; a host that fails, or rejects a command, has the status FAILURE there. Nothing is sent when a host is not in the inventory',
    incoming: { ...targets, command: needs([LIST, TEXT], 'The commands', ['show version']) },
    outgoing: { stdout },
    effect: 'unsafe',
    requires: [operation('Automationgateway.sendCommand', ADMIN), group],
  }),
  taskOf('AGManager', 'itential_netmiko_set_config', {
    summary: 'Configure hosts',
    description:
      'Sends lines in the configuration mode of several hosts and stops on a host at the first line that it rejects',
    incoming: {
      ...targets,
      lines: needs([LIST, TEXT], 'The lines', ['ntp server 192.0.2.9']),
      parents: takes([LIST, TEXT], 'Lines that are entered before them', ['interface GigabitEthernet0/1']),
      save_command: takes(TEXT, 'Command that saves the configuration', 'write memory'),
      end_command: takes(TEXT, 'Command that leaves the configuration mode; absent: that of the device type'),
      provider: takes(OBJECT, 'Settings of the connection: username, password, secret, port, timeout'),
    },
    outgoing: { stdout },
    effect: 'unsafe',
    requires: [
      operation('Automationgateway.sendCommand', ADMIN),
      operation('ConfigurationManager.pushDeviceConfiguration', ADMIN),
      group,
    ],
  }),
];
