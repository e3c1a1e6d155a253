import type { PlatformRecord } from './record/platform-record.ts';
import { IOS_LIKE } from './shared/cisco-like.ts';

export const ipinfusionOcnos: PlatformRecord = {
  name: 'ipinfusion-ocnos',
  title: 'IP Infusion OcNOS',
  like: 'cisco-ios',
  deviceTypes: [{ device_type: 'ipinfusion_ocnos', extends: 'cisco_ios', detect: {}, syntax: IOS_LIKE }],
};
