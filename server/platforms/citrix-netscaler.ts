import type { PlatformRecord } from './record/platform-record.ts';
import { lines, QUOTED } from './shared/parser-rules.ts';
import { also } from './shared/syntax-words.ts';

export const citrixNetscaler: PlatformRecord = {
  name: 'citrix-netscaler',
  title: 'Citrix NetScaler',
  aliases: ['netscaler', 'citrix-adc'],
  orchestratorNames: /netscaler|citrix/,
  text: { structure: 'flat', lexRules: lines('#', QUOTED), comments: ['# '], negation: 'unset ' },
  // The removing command cannot be derived from a line.
  commands: { removes: false },
  deviceTypes: [
    {
      device_type: 'netscaler',
      aliases: ['citrix_netscaler', 'citrix_adc'],
      // The name is no part of the prompt unless somebody set that.
      prompts: ['(?:{host})? ?>'],
      prepare: ['set cli mode -page OFF'],
      failures: ['ERROR:'],
      detect: { words: ['NetScaler NS\\d'] },
      config: { show: 'show ns runningConfig', noise: [' ?Done'] },
      syntax: { interpreters: also('interpreters', 'batch') },
    },
  ],
};
