import type { PlatformRecord } from './record/platform-record.ts';
import { IOS_LIKE } from './shared/cisco-like.ts';

export const broadcomIcos: PlatformRecord = {
  name: 'broadcom-icos',
  title: 'Broadcom ICOS',
  like: 'cisco-ios',
  deviceTypes: [
    {
      device_type: 'broadcom_icos',
      extends: 'cisco_ios',
      prompts: ['\\({host}\\) ?(?:\\([^)]*\\))? ?[>#]', '{host}(?:\\([^)]*\\))?[>#]'],
      detect: { words: ['ICOS'] },
      syntax: IOS_LIKE,
    },
  ],
};
