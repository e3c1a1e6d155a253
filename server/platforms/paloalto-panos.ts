import type { PlatformRecord } from './record/platform-record.ts';
import { BLOCK_COMMENT, statements, wholeLine } from './shared/parser-rules.ts';
import { also } from './shared/syntax-words.ts';

export const paloaltoPanos: PlatformRecord = {
  name: 'paloalto-panos',
  title: 'Palo Alto Networks PAN-OS',
  aliases: ['panos', 'palo-alto-panos'],
  orchestratorNames: /pan-?os|paloalto/,
  text: {
    structure: 'brace',
    lexRules: statements(BLOCK_COMMENT, wholeLine('#')),
    comments: ['# ', '/*'],
    // What RANCID writes first, and a terminal above its prompt.
    volatile: ['!RANCID-CONTENT-TYPE:', '[edit'],
    step: 2,
    terminator: ';',
    runsOn: true,
  },
  commands: { form: 'paths', commits: true },
  deviceTypes: [
    {
      device_type: 'paloalto_panos',
      aliases: ['panos', 'paloalto'],
      prompts: ['[\\w.\\-@\\\\]{1,60}@{host}(?:\\([\\w\\-]{1,40}\\))?[>#]'],
      above: ['\\[edit[^\\]]*\\]'],
      prepare: ['set cli scripting-mode on', 'set cli pager off', 'set cli terminal width 500'],
      failures: [
        'Unknown command',
        'Invalid syntax',
        'Server error',
        'Validation Error',
        'Commit failed',
        'Failed to commit',
        'Object doesn.t exist',
        '\\S{1,60} -> .{1,200} is (?:invalid|missing|not a valid reference)\\b',
      ],
      detect: { words: ['Palo Alto', 'PAN-OS', 'sw-version'] },
      config: { show: 'show config running' },
      syntax: {
        filters: ['except', 'match'],
        sinks: ['save'],
        hasAlternation: true,
        comments: ['#'],
        prefixes: ['run'],
        interpreters: also('interpreters', 'debug cli on, request batch'),
      },
    },
  ],
};
