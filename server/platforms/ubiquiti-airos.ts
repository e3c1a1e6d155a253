import type { PlatformRecord } from './record/platform-record.ts';
import { lines } from './shared/parser-rules.ts';

export const ubiquitiAiros: PlatformRecord = {
  name: 'ubiquiti-airos',
  title: 'Ubiquiti airOS',
  aliases: ['airos', 'ubiquiti-airmax'],
  text: {
    structure: 'flat',
    lexRules: lines('#'),
    // Settings that airOS only displays are comments; its own version, `##XC.v8`, is not.
    comments: ['## ', '### ', ...[...'abcdefghijklmnopqrstuvwxyz0123456789'].map((first) => `#${first}`)],
  },
  // The removing command cannot be derived from a line.
  commands: { removes: false },
};
