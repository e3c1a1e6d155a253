import type { PlatformRecord } from './record/platform-record.ts';
import { lines, QUOTED, wholeLine } from './shared/parser-rules.ts';

export const advaFsp150: PlatformRecord = {
  name: 'adva-fsp150',
  title: 'Adva FSP 150',
  aliases: ['adva-fsp150f2', 'adva-fsp150f3'],
  text: {
    structure: 'indent',
    lexRules: [wholeLine('remark(?:[ \\t]|$)'), ...lines('#', QUOTED)],
    comments: ['#', 'remark '],
    volatile: ['Preparing configuration file...'],
    closers: ['back'],
    step: 2,
    closersInside: true,
  },
};
