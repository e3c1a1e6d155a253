import type { PlatformRecord } from './record/platform-record.ts';
import { lines, QUOTED } from './shared/parser-rules.ts';

export const ciscoAireos: PlatformRecord = {
  name: 'cisco-aireos',
  title: 'Cisco wireless controllers, AireOS',
  aliases: ['cisco-wlc', 'aireos', 'cisco-wlc-ssh'],
  orchestratorNames: /aireos|wlc/,
  text: { structure: 'flat', lexRules: lines('!', QUOTED), comments: ['!', '#'] },
  // The removing command cannot be derived from a line.
  commands: { removes: false },
  deviceTypes: [
    {
      device_type: 'cisco_wlc',
      aliases: ['aireos', 'cisco_aireos', 'cisco_wlc_ssh'],
      prompts: ['\\([^)]{1,64}\\) (?:[a-z ]{0,40})?>'],
      prepare: ['config paging disable'],
      failures: [
        'Incorrect usage',
        'Incorrect input',
        'HELP:',
        '(?:% ?)?E(?i:rror)[: !]',
        '(?i:request failed|this command has been deprecated)',
        // Not a counter, whose name is followed by dots and its value.
        '(?:[\\w-]{1,40} ){0,4}(?i:already in use|invalid)(?: [\\w-]{1,40}){0,8}[.!]?\\s*$',
      ],
      pagers: [
        { when: '.{0,40}--More-- or \\(q\\)uit.{0,20}', send: ' ' },
        { when: 'Press Enter to continue.{0,60}', send: '\n' },
      ],
      detect: { words: ['Cisco Controller'] },
      config: { show: 'show run-config commands' },
      syntax: { pipe: 'none', comments: [] },
    },
  ],
};
