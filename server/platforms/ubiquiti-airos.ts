import type { PlatformRecord } from './record/platform-record.ts';
import { lines } from './shared/parser-rules.ts';

export const ubiquitiAiros: PlatformRecord = {
  name: 'ubiquiti-airos',
  title: 'Ubiquiti airOS',
  aliases: ['airos', 'ubiquiti-airmax'],
  text: {
    structure: 'flat',
    lexRules: lines('#'),
    // Settings that airOS only shows are comments; its own version, `##XC.v8`, is not.
    comments: ['## ', '### ', ...[...'abcdefghijklmnopqrstuvwxyz0123456789'].map((first) => `#${first}`)],
  },
  // The command that removes a line does not follow from the line.
  commands: { removes: false },
};
