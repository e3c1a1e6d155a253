import type { PlatformRecord } from './record/platform-record.ts';
import { CISCO_LIKE, TERMINAL } from './shared/cisco-like.ts';
import { lines, QUOTED } from './shared/parser-rules.ts';
import { SENTENCES } from './shared/rejections.ts';

export const ruckusFastiron: PlatformRecord = {
  name: 'ruckus-fastiron',
  title: 'Ruckus FastIron',
  aliases: ['brocade-fastiron', 'fastiron', 'brocade-icx', 'ruckus-icx', 'commscope-fastiron'],
  orchestratorNames: /fastiron/,
  text: {
    structure: 'indent',
    lexRules: lines('!', QUOTED),
    volatile: ['Current configuration:'],
    blocks: [{ begins: 'banner *', ends: 'delimiter' }],
  },
  commands: CISCO_LIKE,
  deviceTypes: [
    {
      device_type: 'ruckus_fastiron',
      aliases: ['fastiron', 'icx', 'ruckus_icx', 'commscope_icx'],
      prompts: [
        '(?:SSH@)?{host}[>#]',
        '(?:SSH@)?{host}\\([^)]*\\)#',
        // The name of the model, which has blanks, where no name is set.
        '(?:SSH|telnet)@{host} [\\w.\\- ]{1,40}(?:\\([^)]*\\))?[>#]',
        '{host} (?:Switch|Router)(?:\\([^)]*\\))?[>#]',
      ],
      enable: 'enable',
      prepare: ['skip-page-display'],
      failures: [
        'Invalid input ->',
        'Incomplete command',
        'Ambiguous input',
        '(?i:error)(?: ?[:!]| ?- [A-Za-z])',
        ...SENTENCES,
        'Unrecognized command',
      ],
      detect: { words: ['Ruckus', 'FastIron'] },
      config: TERMINAL,
    },
    {
      device_type: 'brocade_fastiron',
      description: 'Brocade FastIron',
      extends: 'ruckus_fastiron',
      detect: {},
    },
  ],
};
