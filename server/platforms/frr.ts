import type { PlatformRecord } from './record/platform-record.ts';
import { IOS_LIKE, PERCENT, TERMINAL } from './shared/cisco-like.ts';

export const frr: PlatformRecord = {
  name: 'frr',
  title: 'FRRouting, its vtysh',
  like: 'cisco-ios',
  deviceTypes: [
    {
      device_type: 'frr',
      prompts: ['{host}[>#]', '{host}\\([^)]*\\)#'],
      enable: 'enable',
      prepare: ['terminal length 0'],
      failures: [...PERCENT, 'Error type:'],
      detect: { words: ['FRRouting'] },
      config: TERMINAL,
      syntax: IOS_LIKE,
    },
  ],
};
