import type { PlatformRecord } from './record/platform-record.ts';
import { words } from './record/words.ts';
import {
  COMMON_NEGATES,
  COMMON_REPLACES,
  NESTED_EXIT,
  NOISE,
  PERCENT,
  TERMINAL,
} from './shared/cisco-like.ts';
import { lines } from './shared/parser-rules.ts';
import { also } from './shared/syntax-words.ts';

export const ciscoNx: PlatformRecord = {
  name: 'cisco-nx',
  title: 'Cisco NX-OS',
  aliases: ['cisco-nxos', 'cisco-nx-os', 'nxos', 'nxos-ssh'],
  orchestratorNames: /nx(?:os)?(?=[-_:.\d]|$)|nexus/,
  text: {
    structure: 'indent',
    lexRules: lines('!'),
    volatile: ['Building configuration...', 'Current configuration :', 'ntp clock-period '],
    blocks: [{ begins: 'banner *', ends: 'delimiter', caretC: true }],
    step: 2,
    defaults: ['no feature telnet'],
  },
  commands: {
    replaces: [
      ...words(`
        hostname, banner *, power redundancy-mode, cli alias name wr, aaa authentication login console,
        port-channel load-balance, ip tftp|telnet|tacacs source-interface, logging source-interface,
        mac address-table aging-time, snmp-server location, username admin password 5, vpc domain > role priority,
        policy-map type control-plane copp-system-policy$ > class > police, line console$ > exec-timeout,
        line vty > transport input, line vty > access-class, line vty > ipv6 access-class, interface > ip address,
        interface > ip ospf cost, interface > ipv6 link-local, interface > ospfv3 cost,
        interface > duplex|speed|mtu, interface > switchport mode, interface > switchport access vlan,
        interface > switchport trunk native|allowed vlan, interface > udld port, interface > hsrp # > ip,
        interface > hsrp # > priority, interface > hsrp # > authentication md5 key-string,
        router bgp > bgp router-id, router bgp > neighbor * description,
        router bgp > address-family > maximum-paths, router bgp > template > address-family > send-community,
        router bgp > vrf > address-family > maximum-paths, router bgp > vrf > neighbor > password,
        router bgp > vrf > neighbor > address-family > soft-reconfiguration inbound, router ospf > maximum-paths,
        router ospf > log-adjacency-changes, router ospf > router-id, router ospf > vrf > maximum-paths,
        router ospf > vrf > log-adjacency-changes, ipv6 router ospf > router-id,
        ipv6 router ospf > log-adjacency-changes`),
      ...COMMON_REPLACES,
    ],
    adds: ['interface > ip address * secondary', 'interface > ip address * * secondary'],
    negates: [
      // A user has a line for each further role, and one for its access lists.
      ['snmp-server user * *$', 'no {}'],
      ['snmp-server user * use-ipv4acl|use-ipv6acl *', 'no {}'],
      ['router bgp > address-family > maximum-paths ibgp', 'default maximum-paths ibgp'],
      ['router bgp > vrf > address-family > maximum-paths ibgp', 'default maximum-paths ibgp'],
      ['router bgp > neighbor > address-family > send-community$', 'default {}'],
      ['interface > ip ospf passive-interface', 'default {}'],
      ['interface > no ip ospf passive-interface', 'default ip ospf passive-interface'],
      ['interface > ospfv3 passive-interface', 'default {}'],
      ['interface > no ospfv3 passive-interface', 'default ospfv3 passive-interface'],
      ['line vty$ > session-limit', 'session-limit 32'],
      ...COMMON_NEGATES,
    ],
    ignores: ['version', 'boot system|kickstart', 'end$'],
    exit: NESTED_EXIT,
    characterDelimits: true,
    sequences: [
      {
        at: 'ip|ipv6|mac access-list *',
        references: [
          'interface > ip access-group %',
          'interface > ip port access-group %',
          'interface > ipv6 traffic-filter %',
          'interface > mac port access-group %',
          'line > access-class %',
          'line > ipv6 access-class %',
        ],
      },
    ],
  },
  deviceTypes: [
    {
      device_type: 'cisco_nxos',
      aliases: ['nxos', 'nxos_ssh', 'cisco_nx', 'cisco_nxos_ssh', 'cisco_nx_os', 'nx_os', 'nexus'],
      extends: 'cisco_ios',
      prompts: ['{host}(?:\\(maint-mode\\))?[>#]', '{host}(?:\\(maint-mode\\))?\\([^)]*\\)#'],
      failures: [
        ...PERCENT,
        '(?i:error): ?[^\\d\\s]',
        'Syntax error while parsing',
        '(?:Cannot|Unable to|command failed)\\b',
      ],
      detect: { words: ['Cisco Nexus Operating System', 'NX-OS'] },
      config: { ...TERMINAL, noise: [...NOISE, '!(?:Time|Running configuration last done at): .*'] },
      // `;` separates commands, pipes go to a shell, and `$(name)` is a variable.
      syntax: {
        separators: [';', '\n'],
        filters: words(`
        begin, count, cut, egrep, exclude, grep, head, human, include, json, json-pretty, last, no-more, nz,
        section, tr, wc, xml`),
        sinks: words(`
        append, awk, bash, diff, email, end, file, less, perl, python, redirect, run, save, sed, sort, source,
        start, tee, uniq, vsh, xmlin, xmlout`),
        hasAlternation: true,
        carriers: also('carriers', 'attach, slot'),
        interpreters: also('interpreters', 'chroot, gdb, load, run, run-script'),
      },
    },
  ],
};
