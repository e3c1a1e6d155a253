import type { PlatformRecord } from './record/platform-record.ts';

export const generic: PlatformRecord = {
  name: 'generic',
  title: 'Any device with a prompt: only the commands themselves are sent',
  deviceTypes: [
    {
      device_type: 'generic',
      prompts: ['[^\\n]{0,120}[>#$%\\]]'],
      enable: 'enable',
      failures: [
        '% ?(?:Invalid|Incomplete|Ambiguous|Unknown|Unrecognized|Error)',
        '(?:Error|ERROR|error):',
        'Invalid (?:input|command|syntax)',
        '(?:Unknown|Unrecognized|Bad|unknown) command',
        '[Ss]yntax [Ee]rror',
      ],
    },
    {
      device_type: 'autodetect',
      description: 'Detects the device type from the greeting and one command',
      extends: 'generic',
    },
  ],
};
