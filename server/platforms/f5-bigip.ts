import type { PlatformRecord } from './record/platform-record.ts';
import { braced, wholeLine } from './shared/parser-rules.ts';
import { also } from './shared/syntax-words.ts';

const SCRIPTS = ['ltm rule', 'gtm rule', 'pem irule', 'cli script', 'sys icall script'];

export const f5Bigip: PlatformRecord = {
  name: 'f5-bigip',
  title: 'F5 BIG-IP tmsh',
  aliases: ['bigip-f5', 'f5-ltm', 'f5-tmsh', 'f5-linux', 'f5'],
  orchestratorNames: /big-?ip|\bf5(?:-\w+)?/,
  text: {
    structure: 'brace',
    lexRules: braced(wholeLine('#')),
    blocks: SCRIPTS.map((begins) => ({ begins, ends: 'brace' })),
  },
  // A configuration is not a list of commands.
  commands: { form: 'none', removes: false },
  deviceTypes: [
    {
      device_type: 'f5_tmsh',
      aliases: ['tmsh', 'f5_bigip', 'bigip'],
      prompts: ['.{0,100}\\(tmos[^)]*\\)#'],
      landing: [{ when: '\\[[^\\]]{1,80}\\] [^#\\n]{0,60}[#$]', send: 'tmsh' }],
      // Disabling the pager would change the account permanently, so the pager is answered instead.
      failures: [
        'Syntax Error:',
        'Unexpected Error',
        'unexpected argument',
        'Data Input Error',
        'The requested .{0,80}was not found',
        '[0-9a-f]{8}:3: ',
      ],
      detect: { words: ['BIG-IP'], byPrompt: true },
      syntax: {
        wordBreaks: '/',
        hasContexts: true,
        comments: ['#'],
        interpreters: also('interpreters', 'cli script, run util'),
      },
    },
    { device_type: 'f5_ltm', description: 'F5 BIG-IP LTM', extends: 'f5_tmsh', detect: {} },
    { device_type: 'f5_linux', description: 'F5 BIG-IP, the shell below it', extends: 'linux', detect: {} },
  ],
};
