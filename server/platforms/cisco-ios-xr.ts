import type { PlatformRecord } from './record/platform-record.ts';
import { words } from './record/words.ts';
import { COMMON_NEGATES, LENGTH_0, NESTED_EXIT, NOISE, PERCENT, TERMINAL } from './shared/cisco-like.ts';
import { lines } from './shared/parser-rules.ts';
import { also } from './shared/syntax-words.ts';

const SETS = ['prefix-set', 'as-path-set', 'community-set', 'extcommunity-set', 'rd-set', 'tag-set'];

export const ciscoIosXr: PlatformRecord = {
  name: 'cisco-ios-xr',
  title: 'Cisco IOS XR',
  aliases: ['cisco-iosxr', 'cisco-xr', 'iosxr'],
  orchestratorNames: /ios[-_]?xr/,
  text: {
    structure: 'indent',
    lexRules: lines('!'),
    // The device prints the time above the answer of each command.
    volatile: [
      'Building configuration...',
      'Current configuration :',
      'ntp clock-period ',
      ...['Mon ', 'Tue ', 'Wed ', 'Thu ', 'Fri ', 'Sat ', 'Sun '],
    ],
    blocks: [{ begins: 'banner *', ends: 'delimiter' }],
    commaLists: SETS,
  },
  commands: {
    commits: true,
    replaces: words(`
      hostname, banner *, logging source-interface, logging * vrf MGMT, snmp-server location,
      l2vpn$ > router-id, line default$ > access-class ingress, line default$ > transport input,
      line console$ > exec-timeout, mpls ldp$ > session protection duration, mpls ldp$ > igp sync delay,
      interface > ipv4 address, interface > mtu, router bgp > bgp router-id,
      router bgp > neighbor > description|password,
      router bgp > neighbor-group > address-family > soft-reconfiguration inbound,
      router bgp > vrf > address-family > additional-paths selection route-policy,
      router bgp > vrf > neighbor > description|password,
      router bgp > vrf > neighbor > address-family > soft-reconfiguration inbound,
      router bgp > vrf > neighbor > address-family > maximum-prefix, router ospf > router-id,
      router ospf > max-metric router-lsa, router ospf > area > message-digest-key,
      router ospf > area > interface > cost, ipv4|ipv6 access-list > #`),
    adds: ['interface > ipv4 address * secondary', 'interface > ipv4 address * * secondary'],
    negates: COMMON_NEGATES,
    weights: [
      ['vrf', -200],
      ['no vrf', 200],
    ],
    overwrites: ['route-policy', ...SETS],
    recreates: ['template'],
    duplicates: ['route-policy'],
    ignores: ['end$', '** > end-policy$', '** > end-set$', '** > end-template$', '** > end-group$'],
    exits: [
      { at: 'route-policy', text: 'end-policy', whole: true },
      { at: SETS.join('|'), text: 'end-set', whole: true },
      { at: 'policy-map', text: 'end-policy-map', whole: true },
      { at: 'class-map', text: 'end-class-map', whole: true },
      { at: 'template', text: 'end-template', whole: true },
      { at: 'group', text: 'end-group', whole: true },
      { at: 'interface', text: 'root' },
      { at: 'router bgp', text: 'root' },
    ],
    exit: NESTED_EXIT,
  },
  deviceTypes: [
    {
      device_type: 'cisco_xr',
      aliases: ['iosxr', 'ios_xr', 'cisco_iosxr', 'cisco_ios_xr', 'iosxr_netconf'],
      prompts: [
        '(?:RP|LC|P)/\\d+/\\S{1,16}?:{host}#',
        '(?:RP|LC|P)/\\d+/\\S{1,16}?:{host}\\([^)]*\\)#',
        '{host}#',
        '{host}\\([^)]*\\)#',
        // Long names are cut in configuration mode, the shorter the longer the name of the mode is.
        'RP/\\d+/\\w{1,8}/CPU\\d:[\\w.\\-]{1,64}\\(config[^)]*\\)#',
      ],
      preamble: ['(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} +\\d+ [\\d:.]+(?: \\S+)?(?: \\d{4})?'],
      rows: 511,
      prepare: LENGTH_0,
      failures: [...PERCENT, '!!% '],
      detect: { words: ['Cisco IOS XR Software'], byPrompt: true },
      config: {
        ...TERMINAL,
        noise: [...NOISE, '!! (?:IOS XR Configuration|Last configuration change) .*'],
        enter: ['configure exclusive'],
        abandon: ['abort'],
        apply: ['commit'],
      },
      syntax: {
        separators: [';', '\n'],
        filters: ['begin', 'exclude', 'include', 'section'],
        sinks: words('append, file, redirect, save, tee, utility'),
        hasAlternation: true,
        carriers: also('carriers', 'admin, describe'),
        interpreters: also('interpreters', 'admin run, attach, run, script'),
      },
    },
  ],
};
