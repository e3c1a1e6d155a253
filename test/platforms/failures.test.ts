import { expect, test } from 'vitest';
import { DRIVERS } from '#server/platforms/index.ts';
import { compileDrivers } from '#server/southbound/cli/driver.ts';

const COMPILED = compileDrivers(DRIVERS);

function driverOf(deviceType: string) {
  const driver = COMPILED.get(deviceType);
  if (!driver) throw new Error(deviceType);
  return driver;
}

/** Lines with which devices reject a command or a line of configuration. */
const REJECTIONS: Record<string, string[]> = {
  cisco_ios: [
    "% String is invalid, 'every' is not an allowed string at '^' marker.",
    '% Insertion failed - prefix-list entry exists: seq 5 permit 192.0.2.0/24',
    '% Class-map VOICE is being used',
    '%Failed to add ace to access-list',
    '%ERROR: Standby does not support this command',
    'Error: Could not open file flash:/none for reading',
    'Insufficient bandwidth 5000 kbps for the bandwidth guarantee (9000)',
    'BGP is already running; AS is 64512',
    '192.0.2.0 / 255.0.0.255 is an invalid network.',
    '%GigabitEthernet2 is linked to a VRF. Enable IPv6 on that VRF first.',
    '% VRF BLUE not configured.',
    '% IP routing table BLUE does not exist. Create first',
    '% Interface does not exist',
    '% 192.0.2.0 overlaps with Vlan20',
    '%CLNS: System ID (49.0002) must not change when defining additional area addresses',
    '% Specify remote-as or peer-group commands first',
    '% Policy commands not allowed without an address family',
    '% Deletion of RD in progress; wait for it to complete',
    '% VNI 7000 is either already in use or exceeds the maximum allowable VNIs.',
    'VTP VLAN configuration not allowed when device is in CLIENT mode.',
    '% OSPF: Please enable segment-routing globally',
  ],
  arista_eos: ['% Address family not supported', '% Deletion of physical interface not permitted'],
  cisco_nxos: [
    'Cannot remove primary address',
    'command failed: port not compatible [port mode]',
    'Unable to perform the action due to incompatibility:  Module 2 reported status',
    "% String exceeded max length of (63) at '^' marker.",
    'Error: VLAN 20 is reserved',
  ],
  cisco_xr: ['% Unmatched quote', '% Failed to commit one or more configuration items'],
  cisco_asa: ['Removing object-group (WEB) not allowed, it is being used.'],
  cisco_wlc: [
    'Request failed - Static WEP key size does not match.',
    'WLAN Identifier is invalid.',
    'Interface name already in use',
    'This command has been deprecated',
    'Invalid argument',
  ],
  cumulus_linux: [
    'ERROR: swp99 is not a physical interface on this switch',
    "nv: error: argument op: invalid choice: 'sett'",
  ],
  frr: ['% Configuration failed.', 'Error type: validation', '% There is no matched command.'],
  dell_powerconnect: ['Command not found / Incomplete command. Use ? to list commands.'],
  dell_sonic: ['Error: No such command "vlna".'],
  huawei: ['Failure: The board does not exist', "% Unknown command, the error locates at '^'"],
  hp_procurve: ['Inconsistent value.', 'Resource unavailable.', 'Error setting value 9 for the port.'],
  aruba_aoscx: [
    'VLAN 20 does not exist.',
    "VRF BLUE doesn't exist.",
    'Overlapping networks observed for "192.0.2.1/24". Please configure non overlapping networks.',
    'Encapsulation VLAN is already configured on interface 4.3.',
    'Failed to set the address',
  ],
  vyos: [
    'Invalid value',
    'Value validation failed',
    'Need to specify the config node to set',
    'Delete failed',
    '[[interfaces ethernet eth0]] failed',
    'Cannot exit: configuration modified.',
    'Error: 192.0.2.1/33 is not a valid IPv4 address',
  ],
  ubiquiti_edgerouter: ['The specified configuration node is not valid'],
  checkpoint_gaia: [
    '-bash: sohw: command not found',
    'NMINTF0064 Interface eth9 does not exist.',
    'RTGRTG0019  OSPF: Area value must be a number or an address',
  ],
  fortinet: [
    "Attribute 'interface' MUST be set.",
    'incomplete command in the end',
    'token line: Unmatched double quote.',
  ],
  paloalto_panos: [
    "Object doesn't exist",
    "rulebase -> security -> rules -> web -> to 'dmz' is not a valid reference",
    'rulebase -> security -> rules -> web -> from is invalid',
  ],
  hp_comware: [
    'The specified VLAN does not exist.',
    'Cannot delete the default VLAN.',
    'The IP address conflicts with another one.',
    'This interface does not support the command.',
    'Invalid IP address.',
    'Operation failed.',
  ],
  alcatel_sros: ['MAJOR: CLI Could not create the interface', 'CRITICAL: CLI Could not save'],
  mikrotik_routeros: ['no such command or directory (wireless)', 'unknown parameter speed'],
  extreme_exos: ['Invalid port list', 'Cannot delete VLAN Default', 'Command not found'],
  ruckus_fastiron: [
    'error - vlan 20 is not configured',
    'Error! The port is a member of a trunk',
    'Invalid IP address',
  ],
  generic: [
    "Error input in the position marked by '^'.",
    "Incorrect Usage. Use the '?' or <TAB> key to list commands.",
    'Error - invalid vlan',
    'ERROR! No such port',
  ],
  ruijie_os: ["% User doesn't have sufficient privilege to execute this command."],
};

test.each(Object.entries(REJECTIONS))('%s: the lines with which it rejects are recognised', (name, lines) => {
  expect(lines.filter((line) => !driverOf(name).isFailure(line))).toEqual([]);
});

/** Lines that look like those and reject nothing: remarks on lines that were accepted, log messages, answers, counters. */
const REMARKS: Record<string, string[]> = {
  cisco_ios: [
    '% Access VLAN does not exist. Creating vlan 20',
    '%Warning: portfast should only be enabled on ports connected to a single host.',
    '% Warning: policy map SHAPE does not exist',
    '% Interface Vlan20 IPv4 disabled and address(es) removed due to enabling VRF BLUE',
    '% Generating 2048 bit RSA keys, keys will be non-exportable...',
    '% Please create RSA keys to enable SSH (and of atleast 768 bits for SSH v2).',
    '%AUTHMGR-5-FAIL: Authorization failed or unapplied for client (0200.5e00.5301)',
    '%LINEPROTO-5-UPDOWN: Line protocol on Interface Vlan20, changed state to down',
    '%SYS-5-CONFIG_I: Configured from console by console, which is not allowed',
    '% Network not in table',
    '% BGP not active',
    '     0 input errors, 0 CRC, 0 frame, 0 overrun, 0 ignored',
    'Error: 0',
  ],
  cisco_nxos: ["Can't find neighbor 192.0.2.9", '% Route not found', 'Note:  process currently not running'],
  cisco_wlc: [
    'Invalid Hash..................................... 0',
    'Errors........................................... 4',
    'Invalid packets received: 7',
  ],
  generic: ['% No matching routes found', 'Error - 5', 'Error! 0'],
  vyos: [
    'Nothing to delete (the specified node does not exist)',
    'Configuration path: [service ssh port 22] already exists',
  ],
  hp_comware: [
    'Invalid packets: 0',
    'Invalid time 14:00 of 2026',
    'The user role is network-admin.',
    'Failed: 3',
  ],
  aruba_aoscx: ['Failed logins: 2', 'Invalid LSAs               : 4'],
  cumulus_linux: ['Errors: 4', 'error: 0'],
};

test.each(Object.entries(REMARKS))('%s: what it remarks, logs and answers is no rejection', (name, lines) => {
  expect(lines.filter((line) => driverOf(name).isFailure(line))).toEqual([]);
});
