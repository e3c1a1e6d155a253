import type { Mode, ModeGrammar, Section } from './modes.ts';
import type { OperatingSystem } from './system.ts';

const inModes = (host: string, modes: readonly string[]) =>
  `${host}(config${modes.map((one) => `-${one}`).join('')})#`;

/** Shows the innermost section alone, as most of these systems do. */
const innermost = (host: string, sections: readonly string[]) => inModes(host, sections.slice(-1));

export const section = (
  opens: RegExp,
  prompt: string,
  accepts: RegExp,
  sections: Section[] = [],
): Section => ({
  opens,
  prompt,
  accepts,
  sections,
});

const CISCO_TOP =
  /^(?:aaa|banner|clock|domain|enable|feature|hostname|ip|ipv6|lldp|logging|ntp|password|service|snmp-server|spanning-tree|ssh|tacacs-server|telnet|transceiver|username|version|vlan|dns|cdp|vty-pool|errdisable)\b/;
const INTERFACE =
  /^(?:description|ip (?:address|access-group|helper-address|ospf|mtu|proxy-arp|unreachables)|ipv4 (?:address|access-group)|shutdown|mtu|speed|duplex|switchport|vrf member|cost|encapsulation|bandwidth)\b/;
const LINE = /^(?:exec-timeout|transport|access-class|login|logging synchronous|session-timeout|password)\b/;
export const ACL = /^(?:\d+ )?(?:permit|deny|remark)\b/;
const FAMILY = section(
  /^address-family .*$/,
  'af',
  /^(?:neighbor|network|redistribute|route-policy|maximum-paths)\b/,
);
const NEIGHBOR = section(
  /^neighbor \S+$/,
  'neighbor',
  /^(?:remote-as|description|password|update-source)\b/,
  [FAMILY],
);
const ROUTER =
  /^(?:bgp|router-id|neighbor|network|passive-interface|redistribute|auto-cost|log-adjacency|maximum-paths|timers)\b/;

/** Lines that exist once: `hostname`, `ip address` and their like. */
export const ONCE =
  /^(hostname|sysname|description|ip address(?!.* secondary)|ipv4 address|ip access-group(?= \S+ in)|transport input|exec-timeout|idle-timeout|snmp-server (?:location|contact)|ntp source|router-id|version|banner \w+|clock timezone|enable secret|switchport access vlan|ip domain name|protocol inbound|sntp server priority \d+|name|neighbor \S+ (?:remote-as|description))\b/;

export const cisco = (top: Partial<Mode>, more: Partial<ModeGrammar> = {}): ModeGrammar => ({
  kind: 'modes',
  negation: 'no ',
  exit: /^exit$/,
  single: ONCE,
  top: { accepts: CISCO_TOP, ...top },
  ...more,
});

export const INTERFACES = { at: [], begin: /^interface "?([^"]+)"?$/ };
const SHOW_RUNNING = /^sh(?:ow)? run(?:ning-config)?$/;
const SHOW_VERSION = /^sh(?:ow)? ver(?:sion)?$/;
const SHOW_NTP = /^show ntp (?:associations|peers|peer-status|status)$/;
const SHOW_INTERFACES =
  /^sh(?:ow)? (?:(?:ip|ipv4) int(?:erface)? br(?:ief)?|int(?:erfaces?)?(?: (?:brief|status|description))?)$/;
export const CISCO_SHOWS = {
  show: SHOW_RUNNING,
  showVersion: SHOW_VERSION,
  showNtp: SHOW_NTP,
  showInterfaces: SHOW_INTERFACES,
  interfaces: INTERFACES,
};

/** The operating systems of the demo that are configured as Cisco's are. */
export const CISCO_SYSTEMS: readonly OperatingSystem[] = [
  {
    ...CISCO_SHOWS,
    device_type: 'cisco_ios',
    layout: { indent: ' ', separator: '!' },
    grammar: cisco(
      {
        sections: [
          section(/^interface \S+(?: \S+)?$/, 'if', INTERFACE),
          section(/^router (?:ospf|bgp|eigrp) \d+$/, 'router', ROUTER, [FAMILY]),
          section(/^line (?:con|vty|aux) .+$/, 'line', LINE),
          section(/^ip access-list (?:extended|standard) \S+$/, 'ext-nacl', ACL),
          section(/^tacacs server \S+$/, 'server-tacacs', /^(?:address|key|timeout)\b/),
        ],
      },
      { shownNegated: /^ip (?:http (?:secure-)?server|domain lookup)$/ },
    ),
    mode: {
      enter: /^conf(?:igure)? t(?:erminal)?$/,
      greeting: 'Enter configuration commands, one per line.  End with CNTL/Z.',
      leave: /^end$/,
    },
    script: (host) => ({ prompt: `${host}#`, exec: `${host}>` }),
    prompt: innermost,
    before: ['Building configuration...', '', 'Current configuration : 2913 bytes'],
    after: ['!', 'end'],
    version: (host) => [
      'Cisco IOS Software, C2960X Software (C2960X-UNIVERSALK9-M), Version 15.2(4)E10, RELEASE SOFTWARE (fc2)',
      'ROM: Bootstrap program is C2960X boot loader',
      `${host} uptime is 3 weeks, 2 days, 4 hours, 11 minutes`,
      'System image file is "flash:c2960x-universalk9-mz.152-4.E10.bin"',
      'Processor board ID FOC00000000',
      'Configuration register is 0xF',
    ],
  },
  {
    ...CISCO_SHOWS,
    device_type: 'cisco_xr',
    layout: { indent: ' ', closers: { 'route-policy': 'end-policy', '*': '!' } },
    grammar: cisco({
      sections: [
        section(/^interface \S+$/, 'if', INTERFACE),
        section(/^ntp$/, 'ntp', /^(?:server|source|peer|update-calendar)\b/),
        section(/^username \S+$/, 'un', /^(?:group|secret|password)\b/),
        section(/^tacacs-server host .+$/, 'tacacs-host', /^(?:key|timeout)\b/),
        section(/^line \S+$/, 'line', LINE),
        section(/^ipv4 access-list \S+$/, 'ipv4-acl', ACL),
        section(/^route-policy \S+$/, 'rpl', /^(?:pass|drop|done)\b/),
        section(/^router static$/, 'static', /^$/, [section(/^address-family .*$/, 'afi', /^\d/)]),
        section(/^router ospf \S+$/, 'ospf', /^router-id\b/, [
          section(/^area \S+$/, 'ar', /^$/, [section(/^interface \S+$/, 'ar-if', /^(?:cost|passive)\b/)]),
        ]),
        section(/^router bgp \d+$/, 'bgp', ROUTER, [FAMILY, NEIGHBOR]),
      ],
    }),
    mode: {
      enter: /^conf(?:igure)? (?:exclusive|t(?:erminal)?)$/,
      exclusive: true,
      commit: { command: 'commit', says: '' },
      discard: { command: 'abort', leaves: true },
      leave: /^end$/,
    },
    script: (host) => ({ prompt: `RP/0/RP0/CPU0:${host}#` }),
    prompt: (host, sections) => `RP/0/RP0/CPU0:${innermost(host, sections)}`,
    before: [
      'Building configuration...',
      '!! IOS XR Configuration 7.5.2',
      '!! Last configuration change at Fri Nov 20 18:12:04 2026 by svc',
    ],
    after: ['end'],
    version: (host) => [
      'Cisco IOS XR Software, Version 7.5.2',
      'Copyright (c) 2013-2022 by Cisco Systems, Inc.',
      ' Built By     : ingunawa',
      ' Location     : /opt/cisco/XR/packages/',
      'cisco IOS-XRv 9000 () processor',
      `${host}: system uptime is 3 weeks, 2 days, 4 hours, 11 minutes`,
    ],
  },
  {
    ...CISCO_SHOWS,
    device_type: 'cisco_nxos',
    layout: { indent: '  ' },
    grammar: cisco(
      {
        sections: [
          section(/^interface \S+$/, 'if', INTERFACE),
          section(/^vlan \d+$/, 'vlan', /^(?:name|state)\b/),
          section(/^vrf context \S+$/, 'vrf', /^ip route\b/),
          section(/^ip access-list \S+$/, 'acl', ACL),
          section(/^aaa group server tacacs\+ \S+$/, 'tacacs+', /^(?:server|use-vrf|source-interface)\b/),
          section(/^line (?:console|vty)$/, 'line', LINE),
          section(/^router (?:ospf|bgp) \S+$/, 'router', ROUTER, [NEIGHBOR, FAMILY]),
        ],
      },
      { shownNegated: /^(?:shutdown|switchport|password strength-check)$/ },
    ),
    mode: { enter: /^conf(?:igure)?(?: t(?:erminal)?)?$/, leave: /^end$/ },
    script: (host) => ({ prompt: `${host}# ` }),
    prompt: (host, sections) => `${innermost(host, sections)} `,
    before: [
      '',
      '!Command: show running-config',
      '!Running configuration last done at: Fri Nov 20 18:12:04 2026',
      '!Time: Fri Nov 20 19:00:00 2026',
      '',
    ],
    version: (host) => [
      'Cisco Nexus Operating System (NX-OS) Software',
      'Software',
      '  NXOS: version 9.3(8)',
      'Hardware',
      '  cisco Nexus9000 C93180YC-FX Chassis',
      `  Device name: ${host}`,
      'Kernel uptime is 23 day(s), 4 hour(s), 11 minute(s), 2 second(s)',
    ],
  },
  {
    ...CISCO_SHOWS,
    device_type: 'arista_eos',
    layout: { indent: '   ', separator: '!' },
    grammar: cisco(
      {
        sections: [
          section(/^interface \S+$/, 'if', INTERFACE),
          section(/^vlan \d+$/, 'vlan', /^(?:name|state)\b/),
          section(/^ip access-list \S+$/, 'acl', ACL),
          section(/^router (?:ospf|bgp) \d+$/, 'router', ROUTER, [FAMILY]),
          section(
            /^management (?:ssh|telnet|api http-commands|console)$/,
            'mgmt',
            /^(?:shutdown|idle-timeout|ip access-group|protocol)\b/,
          ),
        ],
      },
      { shownNegated: /^(?:shutdown|switchport|aaa root)$/ },
    ),
    mode: {
      enter: /^configure session(?: \S+)?$/,
      commit: { command: 'commit', says: '', leaves: true },
      discard: { command: 'abort', leaves: true },
      check: { command: 'show session-config diffs' },
      leave: /^end$/,
    },
    script: (host) => ({ prompt: `${host}#`, exec: `${host}>` }),
    prompt: (host, sections) => inModes(host, ['s-sess-1', ...sections.slice(-1)]),
    before: ['! Command: show running-config', `! device: lab (vEOS-lab, EOS-4.28.3M)`, '!'],
    after: ['!', 'end'],
    version: () => [
      'Arista vEOS-lab',
      'Hardware version:',
      'Serial number: 00000000',
      'Software image version: 4.28.3M',
      'Architecture: x86_64',
      'Uptime: 3 weeks, 2 days, 4 hours and 11 minutes',
      'Total memory: 4002356 kB',
    ],
  },
];
