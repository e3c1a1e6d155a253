import type { PlatformRecord } from './record/platform-record.ts';
import { IOS_LIKE } from './shared/cisco-like.ts';

export const alliedTelesisAwplus: PlatformRecord = {
  name: 'allied-telesis-awplus',
  title: 'Allied Telesis AlliedWare Plus',
  like: 'cisco-ios',
  deviceTypes: [{ device_type: 'allied_telesis_awplus', extends: 'cisco_ios', detect: {}, syntax: IOS_LIKE }],
};
