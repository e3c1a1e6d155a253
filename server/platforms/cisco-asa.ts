import type { PlatformRecord } from './record/platform-record.ts';
import { CISCO_LIKE, TERMINAL } from './shared/cisco-like.ts';
import { lines } from './shared/parser-rules.ts';
import { also } from './shared/syntax-words.ts';

export const ciscoAsa: PlatformRecord = {
  name: 'cisco-asa',
  title: 'Cisco ASA',
  aliases: ['cisco-ftd', 'asa'],
  orchestratorNames: /\basa\b|[-_]asa/,
  text: {
    structure: 'indent',
    lexRules: lines('[!:]'),
    comments: ['!', ':'],
    volatile: ['Cryptochecksum:'],
    blocks: [
      { begins: 'certificate', ends: 'hex' },
      { begins: 'key-string', ends: 'hex' },
    ],
  },
  commands: CISCO_LIKE,
  deviceTypes: [
    {
      device_type: 'cisco_asa',
      aliases: ['asa', 'cisco_asa_ssh'],
      prompts: ['{host}(?:/{host}){0,3}[>#]', '{host}(?:/{host}){0,3}\\([^)]*\\)#'],
      enable: 'enable',
      prepare: ['terminal pager 0'],
      failures: [
        'ERROR: ',
        '%.{0,20}(?:Invalid|Incomplete|Ambiguous)',
        'Command authorization failed',
        'Removing .{1,80}(?:failed|not allowed)',
      ],
      detect: { words: ['Cisco Adaptive Security Appliance'] },
      config: { ...TERMINAL, noise: ['Cryptochecksum: *.*', ': (?:Saved|Written by) ?.*'] },
      syntax: {
        separators: [],
        filters: ['begin', 'exclude', 'grep', 'include'],
        sinks: ['append', 'redirect', 'tee'],
        hasAlternation: true,
        redirects: [],
        substitutions: [],
        comments: ['!', ':'],
        carriers: also('carriers', 'changeto, cluster, failover'),
        interpreters: also('interpreters', 'session, system support'),
      },
    },
    {
      device_type: 'cisco_ftd',
      aliases: ['ftd'],
      description: 'Cisco Firepower Threat Defense',
      prompts: ['>', '{host}>'],
      failures: ['ERROR: ', 'Syntax error', '% ?Invalid'],
      detect: { words: ['Firepower', 'Threat Defense'] },
      config: { show: 'show running-config' },
      syntax: { interpreters: also('interpreters', 'connect, system support') },
    },
  ],
};
