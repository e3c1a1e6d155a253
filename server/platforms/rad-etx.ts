import type { PlatformRecord } from './record/platform-record.ts';
import { CONTINUED, ECHO, lines, QUOTED } from './shared/parser-rules.ts';

export const radEtx: PlatformRecord = {
  name: 'rad-etx',
  title: 'RAD ETX',
  text: {
    structure: 'indent',
    lexRules: [CONTINUED, ECHO, ...lines('#', QUOTED)],
    comments: ['#', 'echo "'],
    continued: true,
    closers: ['exit'],
    step: 4,
    topLevel: ['configure', 'exit'],
  },
  commands: { exit: { text: 'exit', everywhere: true } },
};
