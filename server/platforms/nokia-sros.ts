import type { PlatformRecord } from './record/platform-record.ts';
import { braced, ECHO, wholeLine } from './shared/parser-rules.ts';
import { SR_OS_SYNTAX, SR_OS_TEXT } from './shared/sr-os.ts';

export const nokiaSros: PlatformRecord = {
  name: 'nokia-sros',
  title: 'Nokia SR OS, model-driven command line',
  aliases: ['sros', 'nokia-sros-md'],
  text: {
    ...SR_OS_TEXT,
    lexRules: [ECHO, ...braced(wholeLine('#'))],
    orBraces: true,
  },
  commands: { exit: { text: 'exit', everywhere: true } },
  // The system maintains the indices behind the configuration, and rejects changes of them.
  bracedCommands: { form: 'modelDriven', commits: true, ignores: ['persistent-indices'] },
  // It is unknown where the path of a line ends and its value begins, so no line is removed.
  flatCommands: { removes: false, commits: true },
  deviceTypes: [
    {
      device_type: 'nokia_sros',
      aliases: ['sros_md', 'nokia_sros_md'],
      prompts: [
        '\\*?[A-D]:{host}#',
        '\\*?[A-D]:[^#>]{1,60}[#>]',
        '\\*?[A-D]:[^#]{1,60}>[\\w>"\\- ]{0,80}[#$]',
      ],
      above: ['(?:\\((?:ex|gl|pr|ro)\\))?[!*]{0,2}\\[[^\\n]{0,120}\\]', '(?:INFO: )?CLI #\\d+.{0,80}'],
      enable: 'enable',
      unprivileged: '$^',
      prepare: [
        'environment more false',
        'environment console width 512',
        'environment command-completion space false',
      ],
      failures: ['MINOR:', 'MAJOR:', 'CRITICAL:', 'Error:', 'Bad [Cc]ommand'],
      detect: { words: ['TiMOS-\\S+ both', 'Nokia 7\\d{3}'] },
      config: {
        show: 'admin show configuration',
        noise: ['# (?:Generated|Finished) .*'],
        enter: ['edit-config exclusive'],
        apply: ['commit'],
        check: ['validate'],
        // A path that ends in a section enters it, so the mode is left from the top.
        leave: ['exit all', 'quit-config'],
        abandon: ['discard', 'exit all', 'quit-config'],
      },
      syntax: SR_OS_SYNTAX,
    },
  ],
};
