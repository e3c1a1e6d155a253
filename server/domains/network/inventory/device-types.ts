import type { DeviceType } from '#db/schemas/network/gateway-host.ts';
import { suggestion } from '#server/kernel/validation/nearest-name.ts';

/** What is known of a kind of device before anything is said to it. */
const type = (device_type: string, ostype: string, description: string): DeviceType => ({
  device_type,
  ostype,
  description,
});

/**
 * The kinds of device that the gateway can speak with (contract/lifecycle#12): the names that scripts around netmiko use,
 * each with the built-in config parser that reads its configurations (contract/lifecycle#4.4,
 * contract/decisions#parser-test). By name.
 */
export const DEVICE_TYPES: readonly DeviceType[] = [
  type('a10', 'a10-acos', 'A10 ACOS'),
  type('alcatel_aos', 'alu-sr', 'Alcatel-Lucent AOS'),
  type('alcatel_sros', 'alu-sr', 'Nokia SR OS, classic command line'),
  type('arista_eos', 'arista-eos', 'Arista EOS'),
  type('aruba_aoscx', 'aruba-aoscx', 'Aruba AOS-CX'),
  type('aruba_os', 'aruba-aoscx', 'Aruba mobility controllers'),
  type('aruba_osswitch', 'hp-procurve', 'Aruba OS switches, formerly ProCurve'),
  type('bird', '', 'BIRD routing daemon'),
  type('brocade_fastiron', 'ruckus-fastiron', 'Brocade FastIron'),
  type('brocade_netiron', 'extreme-netiron', 'Brocade NetIron'),
  type('checkpoint_gaia', 'checkpoint-gaia', 'Check Point Gaia'),
  type('ciena_saos', 'ciena-saos', 'Ciena SAOS 6 and 8'),
  type('cisco_apic', '', 'Cisco APIC'),
  type('cisco_asa', 'cisco-asa', 'Cisco ASA'),
  type('cisco_ftd', 'cisco-asa', 'Cisco Firepower Threat Defense'),
  type('cisco_ios', 'cisco-ios', 'Cisco IOS'),
  type('cisco_nxos', 'cisco-nx', 'Cisco NX-OS'),
  type('cisco_s300', 'cisco-ios', 'Cisco Small Business switches'),
  type('cisco_staros', 'cisco-staros', 'Cisco StarOS'),
  type('cisco_viptela', 'cisco-ios', 'Cisco SD-WAN edge routers'),
  type('cisco_wlc', 'cisco-aireos', 'Cisco wireless controllers, AireOS'),
  type('cisco_xe', 'cisco-ios', 'Cisco IOS XE'),
  type('cisco_xr', 'cisco-ios-xr', 'Cisco IOS XR'),
  type('cumulus_linux', 'linux', 'Cumulus Linux'),
  type('dell_force10', 'dell-os10', 'Dell Force10'),
  type('dell_os10', 'dell-os10', 'Dell OS10'),
  type('dell_os6', 'dell-os10', 'Dell OS6'),
  type('dell_os9', 'dell-os10', 'Dell OS9'),
  type('dell_powerconnect', 'dell-os10', 'Dell PowerConnect'),
  type('extreme_exos', 'extreme-exos', 'Extreme EXOS'),
  type('f5_linux', 'f5-bigip', 'F5 BIG-IP, the shell below it'),
  type('f5_ltm', 'f5-bigip', 'F5 BIG-IP LTM'),
  type('f5_tmsh', 'f5-bigip', 'F5 BIG-IP tmsh'),
  type('fortinet', 'fortinet-fortios', 'Fortinet FortiOS'),
  type('frr', 'cisco-ios', 'FRRouting, its vtysh'),
  type('generic', '', 'Anything with a prompt: nothing is sent but the commands'),
  type('h3c', 'hp-comware', 'H3C Comware'),
  type('hp_comware', 'hp-comware', 'HPE Comware'),
  type('hp_procurve', 'hp-procurve', 'HPE ProCurve'),
  type('huawei', 'huawei-vrp', 'Huawei VRP'),
  type('huawei_vrp', 'huawei-vrp', 'Huawei VRP'),
  type('huawei_vrpv8', 'huawei-vrp', 'Huawei VRP 8'),
  type('juniper', 'juniper-junos', 'Juniper Junos'),
  type('juniper_junos', 'juniper-junos', 'Juniper Junos'),
  type('linux', 'linux', 'Linux'),
  type('mellanox_mlnxos', 'nvidia-onyx', 'NVIDIA Onyx, formerly MLNX-OS'),
  type('mikrotik_routeros', 'mikrotik-routeros', 'MikroTik RouterOS'),
  type('mrv_optiswitch', 'mrv-optiswitch', 'MRV OptiSwitch'),
  type('nokia_srl', 'nokia-srl', 'Nokia SR Linux'),
  type('nokia_sros', 'nokia-sros', 'Nokia SR OS, model-driven command line'),
  type('paloalto_panos', 'paloalto-panos', 'Palo Alto Networks PAN-OS'),
  type('ruckus_fastiron', 'ruckus-fastiron', 'Ruckus FastIron'),
  type('ubiquiti_edgerouter', 'vyatta-vyos', 'Ubiquiti EdgeRouter'),
  type('vyos', 'vyatta-vyos', 'VyOS'),
];

const byName = new Map(DEVICE_TYPES.map((one) => [one.device_type, one]));

/** Make known what drivers were added to this process at its start, or are known by their driver alone. */
export function learnDeviceTypes(drivers: readonly DeviceType[]): void {
  for (const { device_type, ostype, description } of drivers) {
    if (!byName.has(device_type)) byName.set(device_type, { device_type, ostype, description });
  }
}

/** Every kind of device, by name. */
export const deviceTypes = (): DeviceType[] =>
  [...byName.values()].sort((a, b) => (a.device_type < b.device_type ? -1 : 1));

/** Names that NAPALM, netutils, netmiko and Ansible have for kinds of device, dashes and dots as underscores. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  a10: ['acos', 'a10_acos'],
  alcatel_sros: ['sros', 'timos', 'nokia_sros_classic'],
  arista_eos: ['eos', 'arista_eos_ssh', 'arista'],
  aruba_aoscx: ['aoscx', 'aruba_os_cx', 'arubanetworks_aoscx', 'aruba_aos_cx'],
  aruba_osswitch: ['aruba_procurve'],
  checkpoint_gaia: ['gaia', 'checkpoint'],
  cisco_asa: ['asa', 'cisco_asa_ssh'],
  cisco_ftd: ['ftd'],
  cisco_ios: ['ios', 'cisco_ios_ssh', 'cisco', 'cisco_catalyst'],
  cisco_nxos: ['nxos', 'nxos_ssh', 'cisco_nx', 'cisco_nxos_ssh', 'cisco_nx_os', 'nx_os', 'nexus'],
  cisco_wlc: ['aireos', 'cisco_aireos', 'cisco_wlc_ssh'],
  cisco_xe: ['iosxe', 'ios_xe', 'cisco_iosxe', 'cisco_ios_xe'],
  cisco_xr: ['iosxr', 'ios_xr', 'cisco_iosxr', 'cisco_ios_xr', 'iosxr_netconf'],
  dell_os10: ['dellos10', 'os10', 'dellemc_os10'],
  dell_os6: ['dellos6', 'os6'],
  dell_os9: ['dellos9', 'os9', 'dell_ftos', 'ftos'],
  extreme_exos: ['exos', 'extreme'],
  f5_tmsh: ['tmsh', 'f5_bigip', 'bigip'],
  fortinet: ['fortios', 'fortinet_fortios', 'fortigate'],
  hp_comware: ['comware', 'hpe_comware'],
  hp_procurve: ['procurve', 'hpe_procurve'],
  huawei_vrp: ['vrp', 'ce', 'huawei_ce'],
  juniper_junos: ['junos', 'juniper_junos_ssh', 'junipernetworks_junos'],
  mellanox_mlnxos: ['mlnxos', 'onyx', 'nvidia_onyx'],
  mikrotik_routeros: ['routeros', 'ros', 'mikrotik', 'community_routeros'],
  nokia_srl: ['srl', 'srlinux', 'nokia_srlinux'],
  nokia_sros: ['sros_md', 'nokia_sros_md'],
  paloalto_panos: ['panos', 'paloalto'],
  ruckus_fastiron: ['fastiron', 'icx', 'ruckus_icx', 'commscope_icx'],
  ubiquiti_edgerouter: ['edgeos', 'edgerouter', 'ubiquiti_edgeos'],
  vyos: ['vyatta_vyos', 'vyatta', 'vyos_vyos'],
};
const byAlias = new Map(
  Object.entries(ALIASES).flatMap(([name, aliases]) => aliases.map((alias) => [alias, name] as const)),
);

/** Returns the name of a kind of device under any of the names that other products have for it; undefined for none. */
export function canonicalDeviceType(name: string): string | undefined {
  if (byName.has(name)) return name;
  const plain = name.trim().toLowerCase();
  // Ansible names a platform by collection and module: cisco.ios.ios.
  const [, collection, module] = /^(\w+\.\w+)\.(\w+)$/.exec(plain) ?? [];
  const names = [plain, collection, module].flatMap((one) => one?.replaceAll(/[-. ]/g, '_') ?? []);
  return names.map((one) => (byName.has(one) ? one : byAlias.get(one))).find((one) => one !== undefined);
}

/** The kind of device of this name, or of one that other products have for it; undefined when there is none. */
export const deviceTypeOf = (name: string): DeviceType | undefined =>
  byName.get(canonicalDeviceType(name) ?? '');

/** Returns `; did you mean …?` for a misspelled kind of device, or nothing. */
export const deviceTypeSuggestion = (name: string): string =>
  suggestion(name, [...byName.keys(), ...byAlias.keys()]);
