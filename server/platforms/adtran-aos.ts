import type { PlatformRecord } from './record/platform-record.ts';
import { COMMON_NEGATES, IOS_LIKE, NESTED_EXIT, PERCENT, TERMINAL } from './shared/cisco-like.ts';
import { lines, QUOTED } from './shared/parser-rules.ts';

export const adtranAos: PlatformRecord = {
  name: 'adtran-aos',
  title: 'Adtran AOS, NetVanta and Total Access',
  aliases: ['adtran-os', 'adtran'],
  orchestratorNames: /adtran|netvanta/,
  text: {
    structure: 'indent',
    lexRules: lines('!', QUOTED),
    volatile: ['Building configuration...'],
    blocks: [{ begins: 'banner *', ends: 'delimiter' }],
    step: 2,
  },
  commands: {
    replaces: ['hostname', 'banner *', 'interface > description', 'interface > ip address'],
    adds: ['interface > ip address * * secondary'],
    negates: COMMON_NEGATES,
    exit: NESTED_EXIT,
  },
  deviceTypes: [
    {
      device_type: 'adtran_os',
      aliases: ['adtran', 'adtran_aos'],
      prompts: ['{host}[>#]', '{host}\\([^)]*\\)#'],
      enable: 'enable',
      prepare: ['terminal length 0'],
      failures: PERCENT,
      detect: { words: ['ADTRAN', 'NetVanta'] },
      config: TERMINAL,
      syntax: IOS_LIKE,
    },
  ],
};
