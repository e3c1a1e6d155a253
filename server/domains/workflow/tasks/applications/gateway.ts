import { ADMIN, CONFIG_READ, CONFIG_WRITE } from '#server/kernel/roles.ts';
import { operation } from '../operations.ts';
import { ANY, FLAG, LIST, NUMBER, needs, OBJECT, outgoingSchema, TEXT, takes, taskOf } from '../task-type.ts';

const names = { items: { type: TEXT, examples: ['edge-1'] } };

const targets = {
  _hosts: takes([LIST, TEXT], 'Names of hosts of the inventory', ['edge-1'], names),
  _groups: takes([LIST, TEXT], 'Names of device groups, whose devices are added'),
};
const stdout = outgoingSchema(
  OBJECT,
  'Responses by host and command: `completed[0].response[].{host,command,status,stdout,results}`',
);
const nodes = {
  inventory: needs(
    [LIST, TEXT],
    'Hosts: `[{inventory, nodeNames}]`, or their names; `inventory` has no effect',
    [{ inventory: 'lab', nodeNames: ['edge-1'] }],
  ),
  clusterId: takes(TEXT, 'Has no effect: this platform has one gateway'),
};
const results = outgoingSchema(
  OBJECT,
  '`status`, which is completed, and `result.results[].{name,command,success,output}` by host and command',
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
  taskOf('GatewayManager', 'sendCommand', {
    summary: 'Send commands to hosts',
    description:
      'Runs the same commands on several hosts; `success` is false for a host that fails, and for a command that it rejects. Nothing is sent when a host is not in the inventory',
    incoming: { ...nodes, commands: needs([LIST, TEXT], 'The commands', ['show version']) },
    outgoing: { result: results },
    effect: 'unsafe',
    requires: [operation('Automationgateway.sendCommand', ADMIN)],
  }),
  taskOf('GatewayManager', 'sendConfig', {
    summary: 'Configure hosts',
    description:
      'Sends lines in the configuration mode of several hosts and stops on a host at the first line that it rejects; the configuration is not saved',
    incoming: { ...nodes, config: needs([TEXT, LIST], 'The lines', 'ntp server 192.0.2.9') },
    outgoing: { result: results },
    effect: 'unsafe',
    requires: [
      operation('Automationgateway.sendCommand', ADMIN),
      operation('ConfigurationManager.pushDeviceConfiguration', ADMIN),
    ],
  }),
  taskOf('AutomationGateway', 'sendRequest', {
    summary: 'Send an HTTP request to a host',
    description:
      'Sends an HTTP request to a host of the http inventory, with the account stored there; an answer of 400 or more is an error',
    incoming: {
      host: needs(TEXT, 'Name of the host', 'bigip-1'),
      endpoint: needs(TEXT, 'Path below the base path of the host', '/tm/ltm/pool'),
      method: needs(TEXT, 'Method', 'GET'),
      params: takes(OBJECT, 'Query parameters', {}),
      data: takes(ANY, 'Body', { name: 'pool-1' }),
      headers: takes(OBJECT, 'Headers', {}),
      cookies: takes(OBJECT, 'Cookies'),
      auth: takes(OBJECT, 'Account instead of the stored one; {{username}} stands for the stored one'),
      timeout: takes(NUMBER, 'Seconds that the request may take, up to 600', 60),
      allowRedirects: takes(FLAG, 'Has no effect: redirects are not followed'),
      proxies: takes(OBJECT, 'Must be empty'),
      verify: takes(FLAG, 'Has no effect: the inventory decides whether the certificate is checked'),
      adapter_id: takes(TEXT, 'Has no effect: this platform has one gateway'),
    },
    outgoing: { result: outgoingSchema(OBJECT, 'Status, headers and `response`, the body') },
    effect: 'unsafe',
    // Like any request of an adapter.
    requires: [operation('OrchestratorManager.restAction', ADMIN)],
  }),
  taskOf('AutomationGateway', 'createDeviceRaw', {
    summary: 'Add a host to the inventory',
    description: 'Stores a host in the cli inventory; a name that is taken is an error',
    incoming: {
      name: needs(TEXT, 'Name of the host', 'edge-1'),
      variables: needs(OBJECT, 'Address, device type and account of the host', {
        ansible_host: '192.0.2.11',
        device_type: 'cisco_ios',
      }),
      adapter_id: takes(TEXT, 'Has no effect: this platform has one gateway'),
    },
    outgoing: { result: outgoingSchema(OBJECT, 'The host, with secrets masked') },
    effect: 'unsafe',
    requires: [operation('Automationgateway.createHost', ADMIN)],
  }),
  taskOf('AutomationGateway', 'addDeviceToDeviceGroup', {
    summary: 'Add devices to a device group',
    description: 'Adds devices to a device group; those that it has already stay',
    incoming: {
      name: needs(TEXT, 'Name of the group', 'Routers'),
      devices: needs([LIST, TEXT], 'Names of the devices', ['edge-1'], names),
      adapter_id: takes(TEXT, 'Has no effect: this platform has one gateway'),
    },
    outgoing: { result: outgoingSchema(OBJECT, 'The group') },
    effect: 'keyed',
    requires: [operation('ConfigurationManager.addGroupDevices', CONFIG_WRITE)],
  }),
  taskOf('AutomationGateway', 'connectDevice', {
    summary: 'Connect to a host',
    description: 'Opens a session on a host of the cli inventory; one that cannot be opened is an error',
    incoming: {
      name: needs(TEXT, 'Name of the host', 'edge-1'),
      adapter_id: takes(TEXT, 'Has no effect: this platform has one gateway'),
    },
    outgoing: { result: outgoingSchema(OBJECT, 'How the host answered') },
    effect: 'read',
    requires: [operation('Automationgateway.testHost', ADMIN)],
  }),
];
