import type { PlatformRecord } from './record/platform-record.ts';
import { words } from './record/words.ts';
import { BLOCK_COMMENT, statements, toLineEnd } from './shared/parser-rules.ts';
import { also } from './shared/syntax-words.ts';

export const juniperJunos: PlatformRecord = {
  name: 'juniper-junos',
  title: 'Juniper Junos',
  aliases: ['juniper', 'junos', 'juniper-screenos'],
  orchestratorNames: /junos|juniper/,
  text: {
    structure: 'brace',
    lexRules: statements(BLOCK_COMMENT, toLineEnd('#')),
    comments: ['#', '/*'],
    // What a terminal shows above the prompt behind the configuration.
    volatile: ['[edit', '{master', '{backup', '{primary', '{secondary', '{linecard'],
    terminator: ';',
    prefixes: ['protect: '],
  },
  commands: { form: 'paths', commits: true },
  deviceTypes: [
    {
      device_type: 'juniper_junos',
      aliases: ['junos', 'juniper_junos_ssh', 'junipernetworks_junos'],
      prompts: ['[\\w.\\-]{1,40}@{host}[>#]', '{host}[>#]'],
      above: [
        '\\{(?:master|backup|primary|secondary|linecard)[^}]{0,40}\\}(?:\\[edit[^\\]]*\\])?',
        '\\[edit[^\\]]*\\]',
      ],
      landing: [
        { when: '(?:[\\w.\\-@:~/]{0,80})?[%$]', send: 'cli' },
        { when: 'root@[\\w.\\-]{0,60}:[\\w~/]{0,60} ?#', send: 'cli' },
      ],
      prepare: ['set cli screen-length 0', 'set cli screen-width 511', 'set cli complete-on-space off'],
      failures: [
        'unknown command',
        'syntax error',
        'error:',
        "'.{0,60}' is ambiguous",
        'missing (?:mandatory )?argument',
        'invalid ',
      ],
      detect: { words: ['JUNOS', 'Junos:'] },
      // Lines go into a candidate, and one commit activates them.
      config: {
        show: 'show configuration',
        noise: ['## Last (?:commit|changed): .*'],
        enter: ['configure exclusive'],
        apply: ['commit'],
        check: ['commit check'],
        leave: ['exit configuration-mode'],
        abandon: ['rollback 0', 'exit configuration-mode'],
      },
      // One command per line; `run` runs an operational command from configuration mode.
      syntax: {
        separators: [],
        filters: words('compare, count, display, except, find, last, match, no-more, resolve, trim'),
        sinks: words('append, difference, hold, refresh, request, save, tee'),
        hasAlternation: true,
        redirects: [],
        substitutions: [],
        comments: ['#'],
        prefixes: ['run'],
        carriers: also('carriers', 'set event-options, set system scripts'),
        interpreters: also('interpreters', 'op, request pfe execute, request routing-engine execute'),
      },
    },
    { device_type: 'juniper', description: 'Juniper Junos', extends: 'juniper_junos', detect: {} },
  ],
};
