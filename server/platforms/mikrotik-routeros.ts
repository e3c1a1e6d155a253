import type { PlatformRecord } from './record/platform-record.ts';
import { CONTINUED, lines, QUOTED } from './shared/parser-rules.ts';
import { also } from './shared/syntax-words.ts';

export const mikrotikRouteros: PlatformRecord = {
  name: 'mikrotik-routeros',
  title: 'MikroTik RouterOS',
  aliases: ['routeros', 'mikrotik-switchos', 'mikrotik'],
  orchestratorNames: /routeros|mikrotik/,
  text: {
    structure: 'keyword',
    lexRules: [CONTINUED, ...lines('#', QUOTED)],
    continued: true,
    negation: 'remove ',
    keywords: { open: [], close: [], path: '/' },
  },
  // An added entry is removed by finding it; a setting is changed to another value.
  commands: { form: 'menus' },
  deviceTypes: [
    {
      device_type: 'mikrotik_routeros',
      aliases: ['routeros', 'ros', 'mikrotik', 'community_routeros'],
      prompts: ['\\[[^\\]@]{1,60}@[^\\]]{1,64}\\] (?:/?[^>]{0,60})?>'],
      enter: '\r\n',
      repaints: true,
      loginSuffix: '+ct511w4098h',
      failures: [
        'bad command name',
        'syntax error',
        'expected ',
        'input does not match',
        'failure:',
        'no such (?:command|item)',
        'unknown parameter ',
        'ambiguous value',
        'invalid (?:internal|value)',
        'missing value',
        'action timed out',
        'value of .{1,40} (?:expects|must|out of range)',
      ],
      detect: { ident: ['ROSSSH'], words: ['RouterOS', 'MikroTik'], byPrompt: true },
      config: { show: '/export', noise: ['# .{0,40} by RouterOS .*'], enter: [], leave: [], abandon: [] },
      // Commands may be within braces, brackets and scripts; `/` separates words too.
      syntax: {
        separators: [';', '{', '}', '[', ']', '(', ')', '\n'],
        pipe: 'none',
        redirects: [],
        substitutions: ['$', '`'],
        wordBreaks: '/:=',
        hasContexts: true,
        comments: ['#'],
        carriers: also('carriers', 'for, foreach, if, on-error, put, set, system scheduler, while'),
        interpreters: also(
          'interpreters',
          'execute, import, parse, system script, system ssh, system telnet',
        ),
      },
    },
  ],
};
