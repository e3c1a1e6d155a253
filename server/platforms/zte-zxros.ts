import type { PlatformRecord } from './record/platform-record.ts';
import { IOS_LIKE } from './shared/cisco-like.ts';

export const zteZxros: PlatformRecord = {
  name: 'zte-zxros',
  title: 'ZTE ZXROS',
  like: 'cisco-ios',
  deviceTypes: [{ device_type: 'zte_zxros', extends: 'cisco_ios', detect: {}, syntax: IOS_LIKE }],
};
