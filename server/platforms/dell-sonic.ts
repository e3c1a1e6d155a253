import type { PlatformRecord } from './record/platform-record.ts';
import { also } from './shared/syntax-words.ts';

export const dellSonic: PlatformRecord = {
  name: 'dell-sonic',
  title: 'Dell Enterprise SONiC',
  like: 'cisco-ios',
  deviceTypes: [
    {
      device_type: 'dell_sonic',
      aliases: ['dellemc_enterprise_sonic'],
      extends: 'cisco_ios',
      detect: {},
      syntax: { interpreters: also('interpreters', 'sudo') },
    },
  ],
};
