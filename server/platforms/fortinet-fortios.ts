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
  // `unset` and the name remove a `set` line; `delete` removes a table entry.
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
      // Disabling the pager would affect all sessions, so the pager is answered instead.
      prompts: ['{host}(?: \\([^)]*\\))? [#$]', '{host}(?: \\([^)]*\\))?[#$]'],
      failures: [
        'command parse error',
        'Command fail',
        'Unknown action',
        'object .{0,60}not found',
        'entry not found',
        'value parse error',
        'node_check_object fail',
        'incomplete command',
        'token line: ',
        'Unrecognized command',
        'Insufficient parameters for command',
        "Attribute '.{1,60}' MUST be set",
        'The entry is used by ',
        '(?:attribute|object) (?:check|set) operator error',
      ],
      challenges: [{ when: "[Pp]ress 'a' to accept", send: 'a' }],
      detect: { words: ['FortiGate', 'FortiOS', 'Forti[A-Z]'], order: 4 },
      // Each table takes effect at its `end`; an open one is abandoned when a line is rejected.
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
