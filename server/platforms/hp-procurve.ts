import type { PlatformRecord } from './record/platform-record.ts';
import { words } from './record/words.ts';
import { TERMINAL } from './shared/cisco-like.ts';
import { lines, QUOTED_LINES } from './shared/parser-rules.ts';
import { SENTENCES } from './shared/rejections.ts';

export const hpProcurve: PlatformRecord = {
  name: 'hp-procurve',
  title: 'HPE ProCurve',
  aliases: ['aruba-osswitch', 'procurve', 'hpe-procurve', 'aruba-procurve', 'hp-network-operating-system'],
  orchestratorNames: /procurve/,
  text: {
    structure: 'indent',
    lexRules: lines('[;!]', QUOTED_LINES),
    comments: [';', '!'],
    volatile: ['Running configuration:'],
    blocks: [{ begins: 'banner * !', ends: { head: '!' } }],
    multilineQuotes: true,
    closers: ['exit'],
    step: 3,
    closersInside: true,
  },
  commands: {
    replaces: words(`
      hostname, aaa authentication port-access eap-radius, aaa accounting update periodic,
      interface > untagged vlan, interface > name, aaa port-access authenticator * tx-period|supplicant-timeout,
      aaa port-access * auth-priority|auth-order, aaa port-access authenticator * client-limit,
      aaa port-access mac-based * addr-limit|logoff-period, aaa port-access * critical-auth user-role,
      radius-server host * encrypted-key`),
    negates: [
      ['interface > disable$', 'enable'],
      ['interface > name', 'no name'],
      ['aaa port-access authenticator * tx-period|supplicant-timeout #$', '{5} 30'],
      ['aaa port-access authenticator * client-limit #$', 'no {5}'],
      ['aaa port-access mac-based * addr-limit #$', '{5} 1'],
      ['aaa port-access mac-based * logoff-period #$', '{5} 300'],
      ['aaa port-access * critical-auth user-role *', 'no {5}'],
      ['tacacs-server host * *', 'no {3}'],
      ['radius-server host * time-window plus-or-minus-time-window$', '{4} positive-time-window'],
      ['radius-server host * time-window #$', '{4} 300'],
      ['radius-server host * encrypted-key *$', 'no {3}'],
    ],
    weights: [
      ['no aaa port-access * auth-priority', -10],
      ['no aaa port-access authenticator *$', -10],
      ['aaa server-group radius * host', 10],
      ['interface > no tagged|untagged vlan', 10],
      ['no tacacs-server', 10],
      ['no radius-server host * dyn-authorization$', 15],
      ['no aaa server-group radius * host', 20],
      ['no radius-server host *$', 30],
    ],
    exit: { text: 'exit', everywhere: true },
  },
  deviceTypes: [
    {
      device_type: 'hp_procurve',
      aliases: ['procurve', 'hpe_procurve'],
      prompts: ['{host}(?:\\([^)]*\\))?[>#]', '[\\w .\\-]{1,64}(?:\\([^)]*\\))?[>#]'],
      enable: 'enable',
      prepare: ['no page', 'terminal width 511'],
      failures: [
        'Invalid input',
        'Incomplete input',
        'Ambiguous input',
        'Not authorized',
        'Module not present',
        'Error: ',
        'Inconsistent value',
        'Resource unavailable',
        'Duplicate IP address',
        'Error setting value ',
        ...SENTENCES,
      ],
      repaints: true,
      detect: { ident: ['RomSShell', 'Mocana'], words: ['ProCurve', 'Aruba\\S* \\d{4}'], order: 3 },
      config: { ...TERMINAL, noise: ['Running configuration:'] },
    },
    {
      device_type: 'aruba_osswitch',
      aliases: ['aruba_procurve'],
      description: 'Aruba OS switches, formerly ProCurve',
      extends: 'hp_procurve',
      detect: {},
    },
  ],
};
