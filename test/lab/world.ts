/*
 * The invented world of the demo: what its devices should have, what they have, and what is done with them.
 */

/** Kinds of device that the demo simulates, each in a process of its own: names as in the inventory's `device_type`. */
export const DEVICE_TYPES = [
  'cisco_ios',
  'cisco_xr',
  'cisco_nxos',
  'arista_eos',
  'juniper_junos',
  'nokia_sros',
  'huawei_vrp',
  'hp_procurve',
  'fortinet',
  'mikrotik_routeros',
] as const;

/** Manners of devices that misbehave: cisco_ios every one. */
export const FAULTY = ['slow', 'hanging', 'dropping', 'refusing'] as const;

/** What the inventory calls the device of a kind. */
export const nameOf = (deviceType: string) => `lab-${deviceType.replaceAll('_', '-')}`;

/** Rules for routers of the lab: one is an error, some are warnings, one line must not be there. */
export const RULES = `hostname {/lab-.+/}
<e/>ntp server {{ ntp }}
logging host 192.0.2.8
{d/}ip http server
interface Loopback0
 description {/.+/}
service password-encryption
line vty 0 4
 {d/}transport input telnet ssh
 transport input ssh
`;

const config = (name: string, ...more: string[]) =>
  `hostname ${name}
service password-encryption
${more.join('\n')}
interface Loopback0
 description invented, like everything here
 ip address 192.0.2.51 255.255.255.255
line vty 0 4
 transport input ssh
`;

/** Backups of devices that cannot be reached: one is nearly as it should be, one is not. */
export const BACKUPS = [
  { name: 'lab-branch-1', rawConfig: config('lab-branch-1', 'ntp server 192.0.2.9') },
  { name: 'lab-branch-2', rawConfig: config('lab-branch-2', 'ip http server') },
];

const START_END = { workflow_start: { name: 'workflow_start' }, workflow_end: { name: 'workflow_end' } };
const success = { type: 'standard', state: 'success' };

/** A workflow of one task. */
const workflow = (name: string, description: string, task: Record<string, unknown>) => ({
  name,
  description,
  tasks: {
    ...START_END,
    a1: { location: 'Application', locationType: null, type: 'automatic', ...task },
  },
  transitions: { workflow_start: { a1: success }, a1: { workflow_end: success }, workflow_end: {} },
});

/** The second administrator of the demo: a change is proposed by one person and approved by another. */
export const SECOND_ACCOUNT = { username: 'second', password: 'harbour-under-the-hill-27' };

/** Workflows that use the lab. */
export const WORKFLOWS = [
  workflow('Ask for the version', 'Asks a simulated router for its version', {
    name: 'sendCommand',
    app: 'AutomationGateway',
    variables: {
      incoming: {
        host: 'lab-cisco-ios',
        commands: ['show version'],
        connection_options: { device_type: 'cisco_ios' },
      },
      outgoing: { result: null },
    },
  }),
  workflow('Trace to the server', 'Has the gNOI target trace the way to the server', {
    name: 'gnoiTraceroute',
    app: 'AutomationGateway',
    variables: {
      incoming: { host: 'lab-gnoi', destination: '198.51.100.9', options: {} },
      outgoing: { result: null },
    },
  }),
  {
    name: 'Change with a confirmation',
    description: 'Waits until somebody confirms, then asks a simulated router for its version',
    tasks: {
      ...START_END,
      a1: {
        name: 'ViewData',
        app: 'WorkFlowEngine',
        location: 'Application',
        locationType: null,
        type: 'manual',
        summary: 'Confirm the change',
        view: '/workflow_engine/task/ViewData',
        variables: {
          incoming: {
            header: 'Confirm the change',
            message: 'The router lab-cisco-ios is asked for its version next.',
            body: '',
            btn_success: 'Continue',
            btn_failure: 'Stop',
            variables: {},
          },
          outgoing: {},
        },
      },
      b2: {
        location: 'Application',
        locationType: null,
        type: 'automatic',
        name: 'sendCommand',
        app: 'AutomationGateway',
        variables: {
          incoming: {
            host: 'lab-cisco-ios',
            commands: ['show version'],
            connection_options: { device_type: 'cisco_ios' },
          },
          outgoing: { result: null },
        },
      },
    },
    transitions: {
      workflow_start: { a1: success },
      a1: { b2: success, workflow_end: { type: 'standard', state: 'failure' } },
      b2: { workflow_end: success },
      workflow_end: {},
    },
  },
];
