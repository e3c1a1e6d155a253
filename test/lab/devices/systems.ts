import { BRACE_SYSTEMS } from './brace-systems.ts';
import { ACL, CISCO_SHOWS, CISCO_SYSTEMS, cisco, INTERFACES, ONCE, section } from './cisco-systems.ts';
import type { OperatingSystem } from './system.ts';

/** ProCurve paints its prompt at the bottom of the screen. */
const painted = (text: string) =>
  `\u001b[24;1H\u001b[2K\u001b[24;1H${text} \u001b[24;1H\u001b[24;${text.length + 2}H\u001b[?25h`;

/** The operating systems of the demo. */
export const SYSTEMS: readonly OperatingSystem[] = [
  ...CISCO_SYSTEMS,
  {
    device_type: 'huawei_vrp',
    layout: { indent: ' ', separator: '#' },
    grammar: {
      kind: 'modes',
      negation: 'undo ',
      exit: /^quit$/,
      single: ONCE,
      shownNegated: /^telnet server enable$/,
      top: {
        accepts:
          /^(?:sysname|info-center|telnet|stelnet|ssh|dns|clock|ntp-service|ntp|vlan|header|ip|snmp-agent|undo|lldp|hwtacacs)\b/,
        sections: [
          section(/^interface (\S+)$/, '$1', /^(?:description|ip address|shutdown|port|mtu|speed|duplex)\b/),
          section(/^acl (?:number )?(\d+)$/, 'acl-adv-$1', /^(?:rule|description|step)\b/),
          section(/^aaa$/, 'aaa', /^(?:authentication-scheme|local-user|domain|accounting-scheme)\b/),
          section(/^hwtacacs-server template (\S+)$/, 'hwtacacs-$1', /^hwtacacs-server\b/),
          section(/^bgp \d+$/, 'bgp', /^(?:router-id|peer|network)\b/),
          section(/^ospf (\d+).*$/, 'ospf-$1', /^$/, [
            section(/^area (\S+)$/, 'area-$1', /^(?:network|description)\b/),
          ]),
          section(
            /^user-interface (con|vty) .*$/,
            'ui-$1',
            /^(?:idle-timeout|acl|authentication-mode|protocol|user)\b/,
          ),
        ],
      },
    },
    mode: {
      enter: /^sys(?:tem-view)?$/,
      greeting: 'Enter system view, return user view with Ctrl+Z.',
      leave: /^return$/,
    },
    script: (host) => ({ prompt: `<${host}>` }),
    prompt: (host, sections) => `[${[host, ...sections].join('-')}]`,
    show: /^dis(?:play)? cu(?:rrent-configuration)?$/,
    before: ['!Software Version V200R019C10SPC500'],
    after: ['#', 'return'],
    showVersion: /^display version$/,
    version: (host) => [
      'Huawei Versatile Routing Platform Software',
      'VRP (R) software, Version 5.170 (S5731 V200R019C10SPC500)',
      `${host} uptime is 3 weeks, 2 days, 4 hours, 11 minutes`,
    ],
    showNtp: /^display ntp-service (?:sessions|status)$/,
    showInterfaces: /^display (?:ip )?interface(?: (?:brief|description))?$/,
    interfaces: INTERFACES,
  },
  {
    ...CISCO_SHOWS,
    device_type: 'hp_procurve',
    layout: { indent: '   ', closers: { '*': '   exit' } },
    grammar: cisco(
      {
        accepts:
          /^(?:hostname|module|console|telnet-server|web-management|ip|logging|timesync|sntp|time|tacacs-server|aaa|banner|snmp-server|spanning-tree)\b/,
        sections: [
          section(/^interface (\S+)$/, 'eth-$1', /^(?:name|disable|enable|speed-duplex|broadcast-limit)\b/),
          section(/^vlan (\d+)$/, 'vlan-$1', /^(?:name|tagged|untagged|ip address|voice)\b/),
          section(/^ip access-list (?:extended|standard) \S+$/, 'ext-nacl', ACL),
        ],
      },
      { shownNegated: /^(?:telnet-server|web-management plaintext)$/ },
    ),
    mode: { enter: /^conf(?:igure)?(?: t(?:erminal)?)?$/, leave: /^end$/ },
    script: (host) => ({ prompt: painted(`${host}#`) }),
    prompt: (host, sections) => painted(`${host}(${sections.at(-1) ?? 'config'})#`),
    before: [
      'Running configuration:',
      '',
      '; J9726A Configuration Editor; Created on release #WB.16.10.0012',
      '',
    ],
    version: () => [
      'Image stamp:    /ws/swbuildm/rel/code/build/lvm',
      '                WB.16.10.0012',
      'Boot Image:     Primary',
      'ProCurve J9726A Switch 2920-24G',
    ],
    showNtp: /^show (?:sntp|ntp status|ntp associations)$/,
    showInterfaces: /^show (?:interfaces? (?:brief|status)|ip)$/,
  },
  {
    device_type: 'fortinet',
    layout: { indent: '    ', closers: { config: 'end', edit: 'next' } },
    grammar: { kind: 'tables' },
    script: (host) => ({ prompt: `${host} # ` }),
    prompt: (host, sections) => `${host} (${sections.at(-1)?.split(' ').at(-1)?.replaceAll('"', '')}) # `,
    show: /^show(?: full-configuration)?$/,
    before: [
      '#config-version=FGVM64-7.2.5-FW-build1517-230606:opmode=0:vdom=0:user=svc',
      '#conf_file_ver=1186410347',
    ],
    showVersion: /^get system status$/,
    version: (host) => [
      'Version: FortiGate-VM64 v7.2.5,build1517,230606 (GA.F)',
      'Serial-Number: FGVM00TM00000000',
      `Hostname: ${host}`,
      'Operation Mode: NAT',
      'Virtual domain configuration: disable',
    ],
    showNtp: /^diag(?:nose)? sys ntp status$/,
    showInterfaces: /^get system interface(?: physical)?$/,
    interfaces: { at: ['config system interface'], begin: /^edit "([^"]+)"$/ },
  },
  {
    device_type: 'mikrotik_routeros',
    layout: { indent: '' },
    grammar: { kind: 'menus' },
    script: (host) => ({ prompt: `[svc@${host}] > ` }),
    prompt: (host, sections) => `[svc@${host}] ${sections.at(-1)}> `,
    show: /^\/?export$/,
    before: ['# 2026-11-20 19:00:00 by RouterOS 7.10', '# software id = INVE-NTED'],
    showVersion: /^\/?system resource print$/,
    version: () => ['uptime: 3w2d4h11m2s', 'version: 7.10 (stable)', 'platform: MikroTik', 'board-name: CHR'],
    showNtp: /^\/?system ntp client (?:print|servers print)$/,
    showInterfaces: /^\/?(?:interface|ip address) print$/,
    interfaces: { at: ['/ip address'], begin: /interface=(\S+)/ },
  },
  ...BRACE_SYSTEMS,
];
