import type { PlatformRecord } from './record/platform-record.ts';
import { lines, QUOTED } from './shared/parser-rules.ts';
import { also } from './shared/syntax-words.ts';

export const checkpointGaia: PlatformRecord = {
  name: 'checkpoint-gaia',
  title: 'Check Point Gaia',
  aliases: ['gaia', 'checkpoint'],
  text: { structure: 'set', lexRules: lines('#', QUOTED), negation: 'delete ' },
  // The removing command cannot be derived from a line.
  commands: { removes: false },
  deviceTypes: [
    {
      device_type: 'checkpoint_gaia',
      aliases: ['gaia', 'checkpoint'],
      prompts: [
        '(?:\\[Global\\] )?{host} ?>',
        '\\[Expert@{host}\\][#$]',
        '\\[Expert@{host}[^\\]]{0,40}\\][#$]',
      ],
      prepare: ['set clienv rows 0'],
      failures: ['[A-Z]{6}\\d{4}\\s', 'NM[A-Z]{2,8}\\d{4}', '-?\\w{1,20}: .{0,80}command not found'],
      detect: { words: ['Check Point', 'Gaia'] },
      config: { show: 'show configuration', enter: [], leave: [], abandon: [] },
      syntax: { comments: ['#'], interpreters: also('interpreters', 'clish, run') },
    },
  ],
};
