import type { PlatformRecord } from './record/platform-record.ts';
import { COMWARE_CONFIG, COMWARE_SYNTAX, COMWARE_TEXT } from './shared/comware-like.ts';
import { lines } from './shared/parser-rules.ts';
import { SENTENCES } from './shared/rejections.ts';

export const hpComware: PlatformRecord = {
  name: 'hp-comware',
  title: 'HPE Comware',
  aliases: ['hpe-comware', 'comware', 'h3c-comware'],
  orchestratorNames: /comware|h3c/,
  text: {
    ...COMWARE_TEXT,
    lexRules: lines('#'),
  },
  commands: {
    negates: [
      ['acl > rule # permit|deny', 'undo {2}'],
      ['header *', 'undo {2}'],
    ],
    exit: { text: 'quit', everywhere: true },
  },
  deviceTypes: [
    {
      device_type: 'hp_comware',
      aliases: ['comware', 'hpe_comware'],
      prompts: [
        '(?:RBM_[PS])?<{host}>',
        '(?:RBM_[PS])?\\[{host}[^\\]]{0,60}\\]',
        '(?:RBM_[PS])?<[^>]{1,64}>',
        '(?:RBM_[PS])?\\[[~*]?[^\\]]{1,80}\\]',
      ],
      prepare: ['screen-length disable'],
      failures: ['% ?(?:Unrecognized|Incomplete|Ambiguous|Too many|Wrong|Invalid)', 'Error:', ...SENTENCES],
      detect: { ident: ['Comware'], words: ['Comware'] },
      config: COMWARE_CONFIG,
      syntax: COMWARE_SYNTAX,
    },
    { device_type: 'h3c', description: 'H3C Comware', extends: 'hp_comware', detect: { words: ['H3C'] } },
  ],
};
