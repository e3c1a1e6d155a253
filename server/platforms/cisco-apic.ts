import { UNKNOWN_SYNTAX } from './record/command-syntax.ts';
import type { PlatformRecord } from './record/platform-record.ts';
import { TERMINAL } from './shared/cisco-like.ts';
import { SHELL } from './shared/syntax-words.ts';

export const ciscoApic: PlatformRecord = {
  name: 'cisco-apic',
  title: 'Cisco APIC',
  deviceTypes: [
    {
      device_type: 'cisco_apic',
      prompts: ['{host}#', '{host}\\([^)]*\\)#', '{host}:\\S{0,60}>'],
      prepare: ['terminal length 0'],
      failures: ['Error:', '% ?Invalid', 'Invalid'],
      config: TERMINAL,
      syntax: { ...SHELL, pipe: 'filter', filters: ['egrep', 'grep'], sinks: UNKNOWN_SYNTAX.sinks },
    },
  ],
};
