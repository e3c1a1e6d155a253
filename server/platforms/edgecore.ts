import type { PlatformRecord } from './record/platform-record.ts';
import { IOS_LIKE } from './shared/cisco-like.ts';

export const edgecore: PlatformRecord = {
  name: 'edgecore',
  title: 'Edgecore switches',
  like: 'cisco-ios',
  deviceTypes: [{ device_type: 'edgecore', extends: 'cisco_ios', detect: {}, syntax: IOS_LIKE }],
};
