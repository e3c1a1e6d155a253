import type { Configuring } from '../driver.ts';

const NOISE = [
  'Building configuration\\.\\.\\.',
  'Current configuration *: .*',
  '! (?:Last configuration change|NVRAM config last updated|No configuration change) .*',
  'ntp clock-period \\d+',
];

/** Lines count as they are entered; one leaves from however deep. */
const terminal: Configuring = {
  show: 'show running-config',
  noise: NOISE,
  enter: ['configure terminal'],
  leave: ['end'],
  abandon: ['end'],
};

const comware: Configuring = {
  show: 'display current-configuration',
  enter: ['system-view'],
  leave: ['return'],
  abandon: ['return'],
};

/** Lines fill a candidate that one commit makes count. */
const junos: Configuring = {
  show: 'show configuration',
  noise: ['## Last (?:commit|changed): .*'],
  enter: ['configure exclusive'],
  apply: ['commit'],
  check: ['commit check'],
  leave: ['exit configuration-mode'],
  abandon: ['rollback 0', 'exit configuration-mode'],
};

/**
 * How configurations are read and changed, by device_type; drivers that extend one of these do as it does
 * (contract/engines#cli-drivers).
 *  Nothing here writes to the start-up configuration. Where only `show` stands, the ways of several people's changes
 * cannot be told apart, or are not known well enough.
 */
export const CONFIGURING: Readonly<Record<string, Configuring>> = {
  cisco_ios: terminal,
  cisco_nxos: { ...terminal, noise: [...NOISE, '!(?:Time|Running configuration last done at): .*'] },
  cisco_asa: { ...terminal, noise: ['Cryptochecksum: *.*', ': (?:Saved|Written by) ?.*'] },
  cisco_xr: {
    ...terminal,
    noise: [...NOISE, '!! (?:IOS XR Configuration|Last configuration change) .*'],
    enter: ['configure exclusive'],
    apply: ['commit'],
    abandon: ['abort'],
  },
  cisco_ftd: { show: 'show running-config' },
  cisco_wlc: { show: 'show run-config commands' },
  cisco_apic: terminal,
  cisco_viptela: { ...terminal, enter: ['config'], apply: ['commit'], abandon: ['abort'] },
  cisco_staros: { ...terminal, show: 'show configuration', enter: ['configure'] },
  arista_eos: {
    ...terminal,
    noise: [...NOISE, '! Command: .*', '! Time: .*'],
    // A session of its own: what is not committed counts for nobody, and a lost connection leaves the device as it was.
    enter: ['configure session'],
    apply: ['commit'],
    check: ['show session-config diffs'],
    leave: [],
    abandon: ['abort'],
  },
  frr: terminal,
  mellanox_mlnxos: { show: 'show running-config' },
  hp_comware: comware,
  hp_procurve: { ...terminal, noise: ['Running configuration:'] },
  aruba_os: terminal,
  aruba_aoscx: { ...terminal, noise: ['Current configuration:'] },
  dell_os10: { ...terminal, show: 'show running-configuration' },
  dell_os9: { ...terminal, enter: ['configure'] },
  extreme_exos: { show: 'show configuration', enter: [], leave: [], abandon: [] },
  ruckus_fastiron: terminal,
  alcatel_aos: { show: 'show configuration snapshot' },
  ciena_saos: { show: 'configuration show' },
  mrv_optiswitch: terminal,
  juniper_junos: junos,
  nokia_sros: {
    show: 'admin show configuration',
    noise: ['# (?:Generated|Finished) .*'],
    enter: ['edit-config exclusive'],
    apply: ['commit'],
    check: ['validate'],
    // A path that ends in a section leads there: the mode is left from the top.
    leave: ['exit all', 'quit-config'],
    abandon: ['discard', 'exit all', 'quit-config'],
  },
  alcatel_sros: {
    show: 'admin display-config',
    noise: ['# (?:Generated|Finished) .*'],
    enter: ['exit all'],
    leave: ['exit all'],
    abandon: ['exit all'],
  },
  nokia_srl: {
    show: 'info from running',
    enter: ['enter candidate private'],
    apply: ['commit now'],
    check: ['commit validate'],
    leave: [],
    abandon: ['discard now'],
  },
  huawei: { ...comware, noise: ['!(?:Last configuration was .*|Software Version .*)'] },
  huawei_vrpv8: {
    ...comware,
    noise: ['!(?:Last configuration was .*|Software Version .*)'],
    apply: ['commit'],
    abandon: ['clear configuration candidate', 'return'],
  },
  // Each table counts with its `end`; what is open when a line is refused is given up.
  fortinet: {
    show: 'show',
    noise: ['#(?:config-version|conf_file_ver)=.*'],
    enter: [],
    leave: [],
    abandon: ['abort'],
  },
  paloalto_panos: { show: 'show config running' },
  mikrotik_routeros: {
    show: '/export',
    noise: ['# .{0,40} by RouterOS .*'],
    enter: [],
    leave: [],
    abandon: [],
  },
  checkpoint_gaia: { show: 'show configuration', enter: [], leave: [], abandon: [] },
  vyos: {
    show: 'show configuration',
    enter: ['configure'],
    apply: ['commit'],
    check: ['compare'],
    leave: ['exit'],
    abandon: ['exit discard'],
  },
};
