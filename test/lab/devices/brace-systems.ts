import type { OperatingSystem } from './system.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** The operating systems of the demo whose configurations stand between braces. */
export const BRACE_SYSTEMS: readonly OperatingSystem[] = [
  {
    device_type: 'juniper_junos',
    layout: { indent: '    ', braces: ';' },
    grammar: {
      kind: 'paths',
      sections: words(
        `system root-authentication name-server tacplus-server login services ssh netconf syslog ntp interfaces snmp
         routing-options static protocols bgp ospf firewall from then source-address destination-address`,
      ),
      named: words('user host file unit family group neighbor area interface filter term community'),
      lists: words('server address route any authorization'),
      ofNames: words('interfaces'),
      ofValues: words('name-server tacplus-server source-address destination-address'),
    },
    mode: {
      enter: /^configure(?: exclusive| private)?$/,
      greeting: 'Entering configuration mode',
      exclusive: true,
      commit: { command: 'commit', says: 'commit complete' },
      discard: { command: 'rollback 0', says: 'load complete' },
      check: { command: 'commit check', says: 'configuration check succeeds' },
      leave: /^(?:exit(?: configuration-mode)?|quit)$/,
    },
    script: (host) => ({
      prompt: `svc@${host}> `,
      landing: { prompt: `svc@${host}% `, command: 'cli' },
    }),
    prompt: (host) => `svc@${host}# `,
    above: () => '{master:0}[edit]',
    show: /^show configuration$/,
    before: ['## Last commit: 2026-11-20 18:12:04 UTC by svc'],
    showPaths: /^show configuration \| display set$/,
    showVersion: /^show version$/,
    version: (host) => [
      `Hostname: ${host}`,
      'Model: mx204',
      'Junos: 21.4R3.15',
      'JUNOS OS Kernel 64-bit  [20220607.fd7a4fc_builder_stable_12]',
      'JUNOS Software Release [21.4R3.15]',
    ],
    showNtp: /^show ntp (?:associations|status)$/,
    showInterfaces: /^show interfaces(?: (?:terse|descriptions))?$/,
    interfaces: { at: ['interfaces'], begin: /^(\S+)$/ },
  },
  {
    device_type: 'nokia_sros',
    layout: { indent: '    ', braces: '' },
    grammar: {
      kind: 'paths',
      contexts: true,
      sections: words(
        `configure filter log match src-ip dst-ip action ipv4 primary bgp static-routes system login-control
         pre-login-message telnet ssh management-interface cli md-cli snmp security aaa remote-servers tacplus time zone
         standard ntp`,
      ),
      named: words(
        'card mda ip-filter entry syslog port router interface group neighbor server community next-hop',
      ),
      lists: words('route'),
      ofNames: words(''),
      ofValues: words(''),
    },
    mode: {
      enter: /^edit-config (?:exclusive|private|global)$/,
      greeting: 'INFO: CLI #2060: Entering exclusive configuration mode',
      exclusive: true,
      commit: { command: 'commit', says: '' },
      discard: { command: 'discard' },
      check: { command: 'validate', says: '' },
      leave: /^quit-config$/,
    },
    script: (host) => ({ prompt: `A:svc@${host}# ` }),
    prompt: (host) => `A:svc@${host}# `,
    above: (sections) => `(ex)[${sections.length > 0 ? sections.map((one) => `/${one}`).join('') : '/'}]`,
    show: /^admin show configuration(?: configure)?$/,
    before: ['# TiMOS-C-22.10.R1 both/x86_64 Nokia 7750 SR', '# Generated FRI NOV 20 19:00:00 2026 UTC', ''],
    after: ['', '# Finished FRI NOV 20 19:00:00 2026 UTC'],
    showVersion: /^show version$/,
    version: () => [
      'TiMOS-C-22.10.R1 both/x86_64 Nokia 7750 SR Copyright (c) 2000-2022 Nokia.',
      'All rights reserved. All use subject to applicable license agreements.',
    ],
    showNtp: /^show system ntp(?: servers)?$/,
    showInterfaces: /^show router interface$/,
    interfaces: { at: ['configure', 'router "Base"'], begin: /^interface "([^"]+)"$/ },
  },
];
