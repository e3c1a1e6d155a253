import type { PlatformRecord } from './record/platform-record.ts';
import { words } from './record/words.ts';
import { braced, wholeLine } from './shared/parser-rules.ts';

export const nokiaSrl: PlatformRecord = {
  name: 'nokia-srl',
  title: 'Nokia SR Linux',
  aliases: ['srl', 'srlinux', 'nokia-srlinux'],
  text: {
    structure: 'brace',
    lexRules: braced(wholeLine('#'), wholeLine('!!!')),
    comments: ['#', '!!!'],
    // Above a prompt.
    volatile: ['--{'],
    step: 2,
  },
  commands: { form: 'paths', commits: true },
  deviceTypes: [
    {
      device_type: 'nokia_srl',
      aliases: ['srl', 'srlinux', 'nokia_srlinux'],
      prompts: ['\\*?[A-D]:{host}#', '[A-D]:[^#\\n]{1,80}#'],
      above: ['--\\{.{0,80}\\}--\\[.{0,80}\\]--'],
      prepare: ['environment cli-engine type basic', 'environment complete-on-space false'],
      failures: ['Error:', 'Parsing error:'],
      detect: { words: ['SR Linux', 'SRLinux'] },
      config: {
        show: 'info from running',
        enter: ['enter candidate private'],
        apply: ['commit now'],
        check: ['commit validate'],
        leave: [],
        abandon: ['discard now'],
      },
      syntax: {
        filters: words('as, count, egrep, grep, head, tail, wc'),
        wordBreaks: '/',
        hasContexts: true,
        comments: ['#', '!'],
      },
    },
  ],
};
