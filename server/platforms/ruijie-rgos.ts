import type { PlatformRecord } from './record/platform-record.ts';
import { IOS_LIKE } from './shared/cisco-like.ts';

export const ruijieRgos: PlatformRecord = {
  name: 'ruijie-rgos',
  title: 'Ruijie RGOS',
  like: 'cisco-ios',
  deviceTypes: [{ device_type: 'ruijie_os', extends: 'cisco_ios', detect: {}, syntax: IOS_LIKE }],
};
