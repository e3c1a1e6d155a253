import type { PlatformRecord } from './record/platform-record.ts';
import { lines, QUOTED } from './shared/parser-rules.ts';

export const cienaSaos10: PlatformRecord = {
  name: 'ciena-saos10',
  title: 'Ciena SAOS 10',
  aliases: ['saos10'],
  text: { structure: 'flat', lexRules: lines('!', QUOTED), comments: ['!'] },
};
