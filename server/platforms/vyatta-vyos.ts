import { UNKNOWN_SYNTAX } from './record/command-syntax.ts';
import type { PlatformRecord } from './record/platform-record.ts';
import { words } from './record/words.ts';
import { BLOCK_COMMENT, braced, wholeLine } from './shared/parser-rules.ts';
import { SHELL } from './shared/syntax-words.ts';

export const vyattaVyos: PlatformRecord = {
  name: 'vyatta-vyos',
  title: 'VyOS',
  aliases: ['vyos', 'vyatta', 'ubiquiti-edgerouter', 'ubiquiti-edge', 'edgeos'],
  orchestratorNames: /vyos|vyatta/,
  text: {
    structure: 'brace',
    lexRules: braced(BLOCK_COMMENT, wholeLine('//')),
    comments: ['/*', '//', '#'],
    volatile: ['[edit'],
  },
  commands: { form: 'paths', commits: true },
  deviceTypes: [
    {
      device_type: 'vyos',
      aliases: ['vyatta_vyos', 'vyatta', 'vyos_vyos'],
      prompts: ['[\\w.\\-]{1,40}@{host}:\\S{0,60}[$#>]', '[\\w.\\-]{1,40}@{host}[$#>]'],
      above: ['\\[edit[^\\]]*\\]'],
      prepare: ['set terminal length 0', 'set terminal width 512'],
      failures: [
        'Invalid command',
        '(?:Set|Delete|Commit) failed',
        '\\[\\[.{1,120}\\]\\] failed',
        'Cannot exit: configuration modified',
        'The specified configuration node is not valid',
        'Error: ',
        'Ambiguous command',
        'Configuration path:.{0,80}(?:not valid|invalid)',
        'Incomplete command',
        'Invalid value',
        'Need to specify ',
        'Value validation failed',
      ],
      detect: { words: ['VyOS', 'Vyatta'] },
      config: {
        show: 'show configuration',
        enter: ['configure'],
        apply: ['commit'],
        check: ['compare'],
        leave: ['exit'],
        abandon: ['exit discard'],
      },
      syntax: {
        ...SHELL,
        pipe: 'filter',
        filters: words('commands, count, match, no-match, no-more, strip-private'),
        sinks: UNKNOWN_SYNTAX.sinks,
        prefixes: ['run'],
      },
    },
    {
      device_type: 'ubiquiti_edgerouter',
      aliases: ['edgeos', 'edgerouter', 'ubiquiti_edgeos'],
      description: 'Ubiquiti EdgeRouter',
      extends: 'vyos',
      prepare: ['terminal length 0'],
      detect: { words: ['EdgeRouter', 'EdgeOS'] },
    },
  ],
};
