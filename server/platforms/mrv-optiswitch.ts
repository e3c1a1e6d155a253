import type { PlatformRecord } from './record/platform-record.ts';
import { TERMINAL } from './shared/cisco-like.ts';
import { lines } from './shared/parser-rules.ts';

export const mrvOptiswitch: PlatformRecord = {
  name: 'mrv-optiswitch',
  title: 'MRV OptiSwitch',
  aliases: ['optiswitch'],
  text: { structure: 'indent', lexRules: lines('!'), comments: ['!', '#'] },
  deviceTypes: [
    {
      device_type: 'mrv_optiswitch',
      prompts: ['{host}(?:\\([^)]*\\))?[>#]'],
      enable: 'enable',
      prepare: ['no cli-paging'],
      failures: ['% ?(?:Unknown|Invalid|Ambiguous|Command incomplete)'],
      detect: { words: ['OptiSwitch'] },
      config: TERMINAL,
    },
  ],
};
