import { type CommandKnowledge, PLAIN } from './platform-rules.ts';

const PORT_ACCESS = 'aaa port-access';

/** HP ProCurve, ArubaOS-Switch. */
export const PROCURVE: CommandKnowledge = {
  ...PLAIN,
  dialects: ['hp-procurve'],
  replaces: [
    'hostname',
    'aaa authentication port-access eap-radius',
    'aaa accounting update periodic',
    'interface > untagged vlan',
    'interface > name',
    `${PORT_ACCESS} authenticator * tx-period|supplicant-timeout`,
    `${PORT_ACCESS} * auth-priority|auth-order`,
    `${PORT_ACCESS} authenticator * client-limit`,
    `${PORT_ACCESS} mac-based * addr-limit|logoff-period`,
    `${PORT_ACCESS} * critical-auth user-role`,
    'radius-server host * encrypted-key',
  ],
  negates: [
    ['interface > disable$', 'enable'],
    ['interface > name', 'no name'],
    [`${PORT_ACCESS} authenticator * tx-period|supplicant-timeout #$`, '{5} 30'],
    [`${PORT_ACCESS} authenticator * client-limit #$`, 'no {5}'],
    [`${PORT_ACCESS} mac-based * addr-limit #$`, '{5} 1'],
    [`${PORT_ACCESS} mac-based * logoff-period #$`, '{5} 300'],
    [`${PORT_ACCESS} * critical-auth user-role *`, 'no {5}'],
    ['tacacs-server host * *', 'no {3}'],
    ['radius-server host * time-window plus-or-minus-time-window$', '{4} positive-time-window'],
    ['radius-server host * time-window #$', '{4} 300'],
    ['radius-server host * encrypted-key *$', 'no {3}'],
  ],
  weights: [
    [`no ${PORT_ACCESS} * auth-priority`, -10],
    [`no ${PORT_ACCESS} authenticator *$`, -10],
    ['aaa server-group radius * host', 10],
    ['interface > no tagged|untagged vlan', 10],
    ['no tacacs-server', 10],
    ['no radius-server host * dyn-authorization$', 15],
    ['no aaa server-group radius * host', 20],
    ['no radius-server host *$', 30],
  ],
  exit: { text: 'exit', everywhere: true },
};

/** HP Comware. */
export const COMWARE: CommandKnowledge = {
  ...PLAIN,
  dialects: ['hp-comware'],
  negates: [['header *', 'undo {2}']],
  exit: { text: 'quit', everywhere: true },
};

/** Huawei VRP: a taking back names what is set, not to what. */
export const VRP: CommandKnowledge = {
  ...PLAIN,
  dialects: ['huawei-vrp'],
  negates: [
    ['** > description|alias *', 'undo {1}'],
    ['** > remark *', 'undo {1}'],
    ['** > * remark *', 'undo {2}'],
    ['** > * * remark *', 'undo {3}'],
    ['snmp-agent community read|write cipher *', 'undo {5}'],
    ['snmp-agent community read|write *', 'undo {4}'],
    ['snmp-agent community cipher *', 'undo {4}'],
    ['snmp-agent community *', 'undo {3}'],
    ['header *', 'undo {2}'],
  ],
  exit: { text: 'quit', everywhere: true },
};

/** FortiOS: `set` is taken back by `unset` and the name alone, an entry of a table by `delete`. */
export const FORTIOS: CommandKnowledge = {
  ...PLAIN,
  dialects: ['fortinet-fortios'],
  replaces: ['** > set *'],
  negates: [
    ['** > set *', 'unset {2-2}'],
    ['** > edit *', 'delete {2-}'],
  ],
  emptied: ['** > config'],
  exits: [
    { at: '** > config', text: 'end', whole: true },
    { at: '** > edit', text: 'next', whole: true },
  ],
};

/** Devices that take whole paths, and act when they are committed. */
export const PATHS: CommandKnowledge = {
  ...PLAIN,
  dialects: ['juniper-junos', 'vyatta-vyos', 'nokia-srl', 'paloalto-panos'],
  form: 'paths',
  commits: true,
};

/** SR OS in its classic form, and others whose sections end with `exit`. */
export const EXITING: CommandKnowledge = {
  ...PLAIN,
  dialects: ['alu-sr', 'nokia-sros', 'rad-etx', 'cisco-staros'],
  exit: { text: 'exit', everywhere: true },
};

/** SR OS in its model-driven form, which shows its configuration between braces: it takes whole paths from the root. */
export const MODEL_DRIVEN: CommandKnowledge = {
  ...PLAIN,
  dialects: [],
  form: 'modelDriven',
  commits: true,
};

/** The same, shown flat: where the path of a line ends and its value begins cannot be told, so that none is taken back. */
export const MODEL_DRIVEN_FLAT: CommandKnowledge = { ...PLAIN, dialects: [], removes: false, commits: true };

/** RouterOS: what was added is found and removed, what is set is set otherwise. */
export const ROUTER_OS: CommandKnowledge = { ...PLAIN, dialects: ['mikrotik-routeros'], form: 'menus' };

/** Devices whose commands for taking back a line do not follow from the line. */
export const ADDING_ONLY: CommandKnowledge = {
  ...PLAIN,
  dialects: ['cisco-aireos', 'citrix-netscaler', 'checkpoint-gaia', 'ubiquiti-airos', 'linux'],
  removes: false,
};

/** What shows is no list of commands. */
export const SHOWING_ONLY: CommandKnowledge = {
  ...PLAIN,
  dialects: ['f5-bigip', 'json'],
  form: 'none',
  removes: false,
};
