import type { PlatformRecord } from './record/platform-record.ts';
import { lines, QUOTED } from './shared/parser-rules.ts';

export const citrixNetscaler: PlatformRecord = {
  name: 'citrix-netscaler',
  title: 'Citrix NetScaler',
  aliases: ['netscaler', 'citrix-adc'],
  text: { structure: 'flat', lexRules: lines('#', QUOTED), comments: ['# '], negation: 'unset ' },
  // The removing command cannot be derived from a line.
  commands: { removes: false },
};
