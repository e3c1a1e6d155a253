import type { PlatformRecord } from './record/platform-record.ts';
import { CISCO_LIKE, IOS_LIKE } from './shared/cisco-like.ts';
import { lines, QUOTED } from './shared/parser-rules.ts';

export const a10Acos: PlatformRecord = {
  name: 'a10-acos',
  title: 'A10 ACOS',
  aliases: ['a10', 'acos'],
  orchestratorNames: /acos|a10/,
  text: { structure: 'indent', lexRules: lines('!', QUOTED), volatile: ['Current configuration:'] },
  commands: CISCO_LIKE,
  deviceTypes: [
    {
      device_type: 'a10',
      aliases: ['acos', 'a10_acos'],
      extends: 'cisco_ios',
      prompts: [
        '{host}(?:-(?:Active|Standby|ForcedStandby)[\\w\\-\\[\\]]{0,40})?(?:\\([^)]*\\)){0,2}(?:\\[[^\\]]{1,40}\\])?(?:\\([^)]*\\))?[>#]',
      ],
      prepare: ['terminal length 0', 'terminal width 0'],
      detect: { words: ['Advanced Core OS', 'ACOS'] },
      syntax: IOS_LIKE,
    },
  ],
};
