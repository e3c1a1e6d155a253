import type { PlatformRecord } from './record/platform-record.ts';
import { ECHO, lines, QUOTED } from './shared/parser-rules.ts';
import { SR_OS_SYNTAX, SR_OS_TEXT } from './shared/sr-os.ts';

export const aluSr: PlatformRecord = {
  name: 'alu-sr',
  title: 'Nokia SR OS, classic command line',
  aliases: ['alcatel-sros', 'alcatel-sr'],
  orchestratorNames: /alu[-_]?sr|sros|timos|nokia/,
  text: {
    ...SR_OS_TEXT,
    lexRules: [ECHO, ...lines('#', QUOTED)],
  },
  commands: { exit: { text: 'exit', everywhere: true } },
  deviceTypes: [
    {
      device_type: 'alcatel_sros',
      aliases: ['sros', 'timos', 'nokia_sros_classic'],
      prompts: ['\\*?[A-D]:{host}(?:>[^#$>]{1,60}){0,6}[#$]', '\\*?[A-D]:[^#>]{1,60}[#$]'],
      prepare: ['environment no more'],
      failures: ['Error:', 'Bad [Cc]ommand', '(?:MINOR|MAJOR|CRITICAL):'],
      pagers: [{ when: 'Press any key to continue \\(Q to quit\\)', send: ' ' }],
      detect: { words: ['TiMOS'], order: 2 },
      config: {
        show: 'admin display-config',
        noise: ['# (?:Generated|Finished) .*'],
        enter: ['exit all'],
        leave: ['exit all'],
        abandon: ['exit all'],
      },
      syntax: SR_OS_SYNTAX,
    },
  ],
};
