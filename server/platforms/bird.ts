import type { PlatformRecord } from './record/platform-record.ts';

export const bird: PlatformRecord = {
  name: 'bird',
  title: 'BIRD routing daemon',
  deviceTypes: [
    {
      device_type: 'bird',
      prompts: ['bird>'],
      failures: ['No such command', 'syntax error', 'Ambiguous', 'Parse error', 'Unable to', 'Access denied'],
      detect: { words: ['^BIRD '], byPrompt: true },
    },
  ],
};
