import type { PlatformRecord } from './record/platform-record.ts';
import { lines } from './shared/parser-rules.ts';
import { SHELL } from './shared/syntax-words.ts';

const FAILURES = [
  '(?:-?\\w{1,20}: )(?:line )?(?:\\d+: )?.{0,80}(?:command not found|not found|Permission denied)',
  '-?r?(?:ba)?sh: .{0,80}(?:restricted|syntax error|unexpected token)',
  'sudo: .{0,40}required|.{1,40} is not (?:allowed to execute|in the sudoers file)',
];

export const linux: PlatformRecord = {
  name: 'linux',
  title: 'Linux',
  aliases: ['cumulus-linux', 'cumulus', 'generic-linux'],
  orchestratorNames: /linux/,
  text: { structure: 'indent', lexRules: lines('#'), comments: ['#'] },
  // The removing command cannot be derived from a line.
  commands: { removes: false },
  deviceTypes: [
    {
      device_type: 'linux',
      prompts: ['[^\\n]{0,120}[$#%]'],
      abbreviates: false,
      prepare: [],
      failures: FAILURES,
      detect: { ident: ['OpenSSH_.{0,20}(?:Debian|Ubuntu|deb)'], order: 5 },
      syntax: SHELL,
    },
    {
      device_type: 'cumulus_linux',
      description: 'Cumulus Linux',
      extends: 'linux',
      // Those of net and of nv.
      failures: [...FAILURES, "(?:\\w{2,10}: )?(?i:error): [A-Za-z\\[']"],
      detect: { words: ['Cumulus'] },
    },
  ],
};
