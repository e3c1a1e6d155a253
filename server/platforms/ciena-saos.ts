import type { PlatformRecord } from './record/platform-record.ts';
import { lines, QUOTED } from './shared/parser-rules.ts';

export const cienaSaos: PlatformRecord = {
  name: 'ciena-saos',
  title: 'Ciena SAOS 6 and 8',
  aliases: ['ciena-saos6', 'saos'],
  orchestratorNames: /saos|ciena/,
  text: { structure: 'flat', lexRules: lines('!', QUOTED), comments: ['!'], negation: 'unset ' },
  deviceTypes: [
    {
      device_type: 'ciena_saos',
      prompts: ['{host}\\*?>'],
      prepare: ['system shell session set more off'],
      failures: ['SHELL PARSER FAILURE', 'ERROR:'],
      detect: { words: ['SAOS'] },
      config: { show: 'configuration show' },
    },
  ],
};
