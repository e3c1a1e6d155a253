import type { PlatformRecord } from './record/platform-record.ts';
import { lines, QUOTED_LINES } from './shared/parser-rules.ts';
import { also } from './shared/syntax-words.ts';

export const nvidiaOnyx: PlatformRecord = {
  name: 'nvidia-onyx',
  title: 'NVIDIA Onyx, formerly MLNX-OS',
  aliases: ['mellanox', 'mellanox-mlnxos', 'onyx'],
  text: { structure: 'flat', lexRules: lines('##', QUOTED_LINES), multilineQuotes: true },
  deviceTypes: [
    {
      device_type: 'mellanox_mlnxos',
      aliases: ['mlnxos', 'onyx', 'nvidia_onyx'],
      extends: 'cisco_ios',
      prompts: ['{host} (?:\\[[^\\]]{1,60}\\] )?[>#]', '{host} (?:\\[[^\\]]{1,60}\\] )?\\([^)]*\\) #'],
      prepare: ['no cli session paging enable', 'terminal length 999'],
      detect: { words: ['MLNX-OS', 'Onyx'] },
      config: { show: 'show running-config' },
      syntax: { interpreters: also('interpreters', '_shell') },
    },
  ],
};
