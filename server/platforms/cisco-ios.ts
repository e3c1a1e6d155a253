import type { PlatformRecord } from './record/platform-record.ts';
import { words } from './record/words.ts';
import {
  BGP_EXITS,
  COMMON_NEGATES,
  IOS_IGNORES,
  IOS_LIKE,
  LENGTH_0,
  NESTED_EXIT,
  PERCENT,
  TERMINAL,
} from './shared/cisco-like.ts';
import { lines } from './shared/parser-rules.ts';
import { also } from './shared/syntax-words.ts';

const ACCESS_GROUPS = [
  'interface > ip access-group %',
  'interface > ipv6 traffic-filter %',
  'line > access-class %',
  'line > ipv6 access-class %',
];

export const ciscoIos: PlatformRecord = {
  name: 'cisco-ios',
  title: 'Cisco IOS',
  aliases: ['cisco-xe', 'cisco-iosxe', 'cisco-ios-xe', 'ios', 'iosxe', 'cisco-s300', 'cisco-viptela'],
  orchestratorNames: /ios(?:[-_]?xe)?(?=[-_:.\d]|$)|catalyst/,
  text: {
    structure: 'indent',
    lexRules: lines('!'),
    volatile: [
      'Building configuration...',
      'Current configuration :',
      // Of the startup configuration.
      'Using ',
      'Uncompressed configuration from ',
      // What `terminal exec prompt timestamp` prints before each output.
      'Load for five secs: ',
      'Time source is ',
      'No time source, ',
      'ntp clock-period ',
    ],
    blocks: [
      { begins: 'banner *', ends: 'delimiter', caretC: true },
      { begins: 'vacant-message', ends: 'delimiter', caretC: true },
      { begins: 'aaa authentication banner', ends: 'delimiter', caretC: true },
      { begins: 'aaa authentication fail-message', ends: 'delimiter', caretC: true },
      { begins: 'menu * title', ends: 'delimiter', caretC: true },
      { begins: 'macro name *', ends: { line: '@' } },
      { begins: 'certificate', ends: 'hex' },
      { begins: 'key-string', ends: 'hex' },
    ],
    defaults: words(`
      cdp run, ip domain lookup, ip domain-lookup, ip routing, ip subnet-zero, logging console, logging on,
      no ip directed-broadcast, no shutdown, service dhcp`),
  },
  commands: {
    replaces: words(`
      hostname, banner *, vlan > name, interface > description, interface > ip address,
      interface > switchport mode, interface > authentication host-mode,
      interface > authentication event server dead action authorize vlan, errdisable recovery interval,
      client * server-key`),
    adds: ['interface > ip address * secondary', 'interface > ip address * * secondary'],
    replacesNegated: ['logging console'],
    negates: [['logging console *', 'logging console debugging'], ...COMMON_NEGATES],
    weights: [
      ['interface > switchport mode', -10],
      ['no vlan filter', 200],
      ['interface > no shutdown', 200],
      ['aaa group server tacacs+ > no server', 10],
      ['no tacacs-server', 10],
    ],
    ignores: IOS_IGNORES,
    numbers: ['ip access-list'],
    exits: BGP_EXITS,
    exit: NESTED_EXIT,
    sequences: [
      {
        at: 'ip access-list standard|extended *',
        references: ACCESS_GROUPS,
      },
      {
        at: 'ipv6 access-list *',
        references: ACCESS_GROUPS,
      },
    ],
  },
  deviceTypes: [
    {
      device_type: 'cisco_ios',
      aliases: ['ios', 'cisco_ios_ssh', 'cisco', 'cisco_catalyst'],
      prompts: ['{host}[>#]', '{host}\\([^)]*\\)#', '{host}\\(tcl\\)#', '\\+>'],
      // What `terminal exec prompt timestamp` prints before each output.
      preamble: ['Load for five secs: .*', '(?:No time source|Time source is \\S+), .*'],
      enable: 'enable',
      prepare: LENGTH_0,
      failures: [
        ...PERCENT,
        '(?i:error): ?[^\\d\\s]',
        '(?:Bad mask|Incomplete command|Insufficient bandwidth|Invalid policy name|Unable to)\\b',
        'BGP is already running; AS is',
        'VTP .{1,60}not allowed',
        '.{1,60}(?:does not match any topology|is an invalid network)',
      ],
      detect: {
        ident: ['Cisco-1\\.'],
        words: ['Cisco IOS Software', 'Cisco Internetwork Operating System', 'IOS \\(tm\\)'],
        order: 1,
        identIsShared: true,
      },
      config: TERMINAL,
      // One command per line; `;`, quotes, `>` and `$` have no meaning.
      syntax: {
        separators: [],
        filters: words('begin, count, exclude, include, section'),
        sinks: ['append', 'format', 'redirect', 'tee'],
        hasAlternation: true,
        redirects: [],
        substitutions: [],
        prefixes: ['do', 'do-exec'],
        carriers: also('carriers', 'menu'),
        interpreters: also('interpreters', 'request platform software system shell, scripting, tcl'),
      },
    },
    {
      device_type: 'cisco_xe',
      aliases: ['iosxe', 'ios_xe', 'cisco_iosxe', 'cisco_ios_xe'],
      description: 'Cisco IOS XE',
      extends: 'cisco_ios',
      detect: { words: ['IOS.XE Software', 'IOS-XE'] },
    },
    {
      device_type: 'cisco_s300',
      description: 'Cisco Small Business switches',
      extends: 'cisco_ios',
      prepare: ['terminal datadump', 'terminal width 0'],
      failures: ['% ?(?:Unrecognized|Incomplete|Ambiguous|Wrong|Invalid|bad|missing|invalid)'],
      detect: {},
      syntax: IOS_LIKE,
    },
    {
      device_type: 'cisco_viptela',
      description: 'Cisco SD-WAN edge routers',
      prompts: ['{host}#', '{host}\\([^)]*\\)#'],
      prepare: ['paginate false', 'screen-width 512'],
      failures: ['syntax error', 'Error:', 'Invalid'],
      detect: { words: ['[Vv]iptela'] },
      config: { ...TERMINAL, enter: ['config'], abandon: ['abort'], apply: ['commit'] },
      syntax: IOS_LIKE,
    },
  ],
};
