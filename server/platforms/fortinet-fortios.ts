import type { PlatformRecord } from './record/platform-record.ts';
import { lines, QUOTED_LINES } from './shared/parser-rules.ts';
import { also } from './shared/syntax-words.ts';

export const fortinetFortios: PlatformRecord = {
  name: 'fortinet-fortios',
  title: 'Fortinet FortiOS',
  aliases: ['fortinet', 'fortios', 'fortigate'],
  orchestratorNames: /forti/,
  text: {
    structure: 'keyword',
    lexRules: lines('#', QUOTED_LINES),
    multilineQuotes: true,
    negation: 'unset ',
    keywords: { open: ['config', 'edit'], close: ['end', 'next'] },
  },
  // `set` is removed by `unset` and the name alone, an entry of a table by `delete`.
  commands: {
    replaces: ['** > set *'],
    negates: [
      ['** > set *', 'unset {2-2}'],
      ['** > edit *', 'delete {2-}'],
    ],
    emptied: ['** > config'],
    exits: [
      { at: '** > config', text: 'end', whole: true },
      { at: '** > edit', text: 'next', whole: true },
    ],
  },
  deviceTypes: [
    {
      device_type: 'fortinet',
      aliases: ['fortios', 'fortinet_fortios', 'fortigate'],
      // Paging is a setting of all sessions there: the pager is answered instead.
      prompts: ['{host}(?: \\([^)]*\\))? [#$]', '{host}(?: \\([^)]*\\))?[#$]'],
      failures: [
        'command parse error',
        'Command fail',
        'Unknown action',
        'object .{0,60}not found',
        'entry not found',
        'value parse error',
      ],
      challenges: [{ when: "[Pp]ress 'a' to accept", send: 'a' }],
      detect: { words: ['FortiGate', 'FortiOS', 'Forti[A-Z]'], order: 4 },
      // Each table counts with its `end`; an open one is abandoned when a line is refused.
      config: {
        show: 'show',
        noise: ['#(?:config-version|conf_file_ver)=.*'],
        enter: [],
        leave: [],
        abandon: ['abort'],
      },
      syntax: { filters: ['grep'], comments: ['#'], interpreters: also('interpreters', 'fnsysctl') },
    },
  ],
};
