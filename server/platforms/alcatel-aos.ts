import type { PlatformRecord } from './record/platform-record.ts';
import { lines, QUOTED } from './shared/parser-rules.ts';

/** Each line of a snapshot is a whole command; comments name the parts. */
export const alcatelAos: PlatformRecord = {
  name: 'alcatel-aos',
  title: 'Alcatel-Lucent OmniSwitch, AOS',
  aliases: ['omniswitch', 'alcatel-omniswitch', 'ale-aos'],
  orchestratorNames: /omniswitch/,
  text: { structure: 'flat', lexRules: lines('!', QUOTED), comments: ['!'] },
  // Which words of a line the removing command has differs from command to command.
  commands: { removes: false },
  deviceTypes: [
    {
      device_type: 'alcatel_aos',
      aliases: ['omniswitch', 'ale_aos'],
      prompts: ['{host} ?->', '->', '{host} ?[>#]'],
      failures: ['ERROR:', 'Error:'],
      detect: { words: ['Alcatel-Lucent OS\\d', 'OmniSwitch'] },
      config: { show: 'show configuration snapshot' },
    },
  ],
};
