import type { PlatformRecord } from './record/platform-record.ts';
import { CISCO_LIKE, TERMINAL } from './shared/cisco-like.ts';
import { lines, QUOTED } from './shared/parser-rules.ts';

export const dellOs10: PlatformRecord = {
  name: 'dell-os10',
  title: 'Dell OS10',
  aliases: ['dell-os9', 'dell-force10', 'dell-ftos', 'dellos10', 'dell'],
  orchestratorNames: /\bos10\b|dell/,
  text: {
    structure: 'indent',
    lexRules: lines('!', QUOTED),
    volatile: ['Current Configuration ...'],
    blocks: [{ begins: 'banner *', ends: 'delimiter' }],
  },
  commands: CISCO_LIKE,
  deviceTypes: [
    {
      device_type: 'dell_os10',
      aliases: ['dellos10', 'os10', 'dellemc_os10'],
      prompts: ['{host}[>#]', '{host}\\([^)]*\\)#'],
      prepare: ['terminal length 0'],
      failures: [
        '% ?(?:Error|Invalid|Incomplete|Ambiguous|Unrecognized|Command)',
        'Unrecognized command',
        'Command not found / Incomplete command',
        'An invalid interface ',
        '% ?(?:bad|missing|wrong)',
      ],
      detect: { words: ['OS10'] },
      config: { ...TERMINAL, show: 'show running-configuration' },
    },
    {
      device_type: 'dell_os9',
      aliases: ['dellos9', 'os9', 'dell_ftos', 'ftos'],
      description: 'Dell OS9',
      extends: 'dell_os10',
      enable: 'enable',
      detect: { words: ['Dell (?:EMC )?(?:Networking|Real Time) .{0,20}OS', 'Force10'] },
      config: { ...TERMINAL, enter: ['configure'] },
    },
    { device_type: 'dell_force10', description: 'Dell Force10', extends: 'dell_os9', detect: {} },
  ],
};
