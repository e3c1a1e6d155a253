import { ADMIN } from '#server/kernel/roles.ts';
import { operation } from '../operations.ts';
import { ANY, LIST, needs, OBJECT, outgoingSchema, TEXT, takes, taskOf } from '../task-type.ts';

const adapter_id = takes(
  TEXT,
  'Name of an adapter of the model Orchestrator; absent: the default one',
  'orchestrator-1',
);
const devices = needs([LIST, TEXT], 'Names of the devices', ['ce1'], { items: { type: TEXT } });
const ACTION = [operation('OrchestratorManager.runAction', ADMIN)];
const WRITE = [operation('OrchestratorManager.restAction', ADMIN)];
const TRY = [operation('OrchestratorManager.validateCommit', ADMIN)];

const ofDevices = [
  taskOf('NSO', 'syncFrom', {
    summary: 'Read the configuration of a device',
    description: 'Lets an orchestrator take over the configuration of a device',
    incoming: { name: needs(TEXT, 'Name of the device', 'ce1'), adapter_id },
    outgoing: { result: outgoingSchema(OBJECT, 'Device, result and info of the action') },
    effect: 'keyed',
    requires: ACTION,
  }),
  taskOf('NSO', 'syncFromDevices', {
    summary: 'Read the configurations of devices',
    description:
      'Lets an orchestrator take over the configurations of the named devices; none for an empty list',
    incoming: { devices, adapter_id },
    outgoing: { result: outgoingSchema(LIST, 'Device, result and info of each') },
    effect: 'keyed',
    requires: ACTION,
  }),
  taskOf('NSO', 'checkSyncDevices', {
    summary: 'Check whether devices are in sync',
    description: 'Asks an orchestrator whether it knows the configurations that the named devices have',
    incoming: { devices, adapter_id },
    outgoing: {
      sync_statuses: outgoingSchema(OBJECT, 'In `value` the `devicename` and `syncstatus` of each device'),
    },
    effect: 'read',
    requires: ACTION,
  }),
  taskOf('NSO', 'fetchSSHKey', {
    summary: 'Fetch the SSH host keys of a device',
    description: 'Lets an orchestrator fetch and store the SSH host keys of a device',
    incoming: { device: needs(TEXT, 'Name of the device', 'ce1'), adapter_id },
    outgoing: { result: outgoingSchema(OBJECT, 'Device, result and info of the action') },
    effect: 'keyed',
    requires: ACTION,
  }),
  taskOf('NSO', 'addDevice', {
    summary: 'Add a device to an orchestrator',
    description: 'Creates a device in an orchestrator; one that exists is an error and stays as it is',
    incoming: {
      deviceInfo: needs(OBJECT, 'Name, address, port, authgroup, device-type, ned and protocol', {
        name: 'ce3',
        address: '192.0.2.53',
        authgroup: 'default',
        'device-type': 'cli',
        ned: 'cisco-ios-cli-6.109:cisco-ios-cli-6.109',
        protocol: 'ssh',
      }),
      adapter_id,
    },
    outgoing: { result: outgoingSchema(OBJECT, 'Status of the answer, with its errors', { result: '201' }) },
    effect: 'unsafe',
    requires: WRITE,
  }),
  taskOf('NSO', 'runAction', {
    summary: 'Run an action of an orchestrator',
    description: 'Runs an action of an orchestrator, which a RESTCONF path or a keypath names',
    incoming: {
      params: needs(OBJECT, 'Path of the action, and its input under params', {
        path: '/ncs:devices/device{ce1}/check-sync',
        params: {},
      }),
      adapter_id,
    },
    outgoing: { response: outgoingSchema(ANY, 'What the action returned') },
    effect: 'unsafe',
    requires: ACTION,
  }),
];

const payload = needs(
  TEXT,
  'Configuration as XML',
  '<devices xmlns="http://tail-f.com/ns/ncs"><device><name>ce1</name></device></devices>',
);
const instance = needs(OBJECT, 'Instances by the path of their list', {
  '/vpn:vpn': [{ name: 'blue', vlan: 7 }],
});
const options = takes(OBJECT, '`action`: create, merge, replace (the default) or delete', {
  action: 'replace',
  sync: true,
});
const change = outgoingSchema(OBJECT, 'Status and message, and the changes of each device');
const commit = outgoingSchema(OBJECT, 'Status and message', { status: 'SUCCESS', message: 'SUCCESS' });

const ofConfiguration = [
  taskOf('NSO', 'dryRunXML', {
    summary: 'Try an XML configuration',
    description:
      'Shows what an XML configuration would change on devices; nothing is committed. A rejected one has the status FAILURE',
    incoming: { payload, adapter_id },
    outgoing: { result: change },
    effect: 'read',
    requires: TRY,
  }),
  taskOf('NSO', 'provisionXML', {
    summary: 'Commit an XML configuration',
    description: 'Merges an XML configuration into that of an orchestrator and commits it',
    incoming: { payload, options: takes(OBJECT, '`action`: merge', {}), adapter_id },
    outgoing: { result: commit },
    effect: 'unsafe',
    requires: WRITE,
  }),
  taskOf('ServiceCog', 'getInstance', {
    summary: 'Read a service instance',
    description: 'Reads a service instance from an orchestrator',
    incoming: {
      model: needs(TEXT, 'Path of the list of the service', '/vpn:vpn'),
      value: needs([TEXT, LIST], 'Value of its key, or a list of values for several keys', 'blue'),
      adapter_id,
    },
    outgoing: {
      result: outgoingSchema(OBJECT, 'The instance in a list, under the name of the model', {
        '/vpn:vpn': [{ name: 'blue', vlan: 7 }],
      }),
    },
    effect: 'read',
    requires: [operation('OrchestratorManager.restQuery', ADMIN)],
  }),
  taskOf('ServiceCog', 'testInstances', {
    summary: 'Try service instances',
    description:
      'Shows what service instances would change on devices; nothing is committed. Rejected ones have the status FAILURE',
    incoming: { instance, options, adapter_id },
    outgoing: { result: change },
    effect: 'read',
    requires: TRY,
  }),
  taskOf('ServiceCog', 'saveInstances', {
    summary: 'Commit service instances',
    description: 'Writes service instances to an orchestrator in one transaction',
    incoming: { instance, options, adapter_id },
    outgoing: { result: commit },
    effect: 'unsafe',
    requires: WRITE,
  }),
];

/** Tasks on devices and services of an orchestrator that imported workflows name. */
export const ORCHESTRATORS = [...ofDevices, ...ofConfiguration];
