import type { PlatformRecord } from './record/platform-record.ts';
import { lines, QUOTED } from './shared/parser-rules.ts';
import { SENTENCES } from './shared/rejections.ts';

export const extremeExos: PlatformRecord = {
  name: 'extreme-exos',
  title: 'Extreme EXOS',
  aliases: ['extreme', 'exos'],
  orchestratorNames: /exos/,
  text: {
    structure: 'flat',
    lexRules: lines('#', QUOTED),
    // The commands of a profile run at an event; they are not in force.
    blocks: [{ begins: 'create upm profile *', ends: { line: '.' } }],
    negation: 'unconfigure ',
  },
  deviceTypes: [
    {
      device_type: 'extreme_exos',
      aliases: ['exos', 'extreme'],
      prompts: ['(?:[*!] ?){0,2}(?:\\([^)]{1,40}\\) ?)?(?:Slot-\\d+ )?(?:VPEX )?{host}(?:\\.\\d+)? ?[>#]'],
      prepare: ['disable clipaging', 'disable cli prompting'],
      failures: ['%% ?(?:Invalid|Incomplete|Ambiguous|Unrecognized)', 'Error:', ...SENTENCES],
      detect: { words: ['ExtremeXOS', 'Switch Engine'] },
      config: { show: 'show configuration', enter: [], leave: [], abandon: [] },
    },
  ],
};
