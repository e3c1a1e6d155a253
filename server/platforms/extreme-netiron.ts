import type { PlatformRecord } from './record/platform-record.ts';
import { CISCO_LIKE } from './shared/cisco-like.ts';
import { lines, QUOTED } from './shared/parser-rules.ts';

export const extremeNetiron: PlatformRecord = {
  name: 'extreme-netiron',
  title: 'Brocade NetIron',
  aliases: ['brocade-netiron', 'netiron'],
  orchestratorNames: /netiron/,
  text: {
    structure: 'indent',
    lexRules: lines('!', QUOTED),
    comments: ['!', '#'],
    volatile: ['Current configuration:'],
    blocks: [{ begins: 'banner *', ends: 'delimiter' }],
  },
  commands: CISCO_LIKE,
  deviceTypes: [
    { device_type: 'brocade_netiron', extends: 'ruckus_fastiron', detect: { words: ['NetIron'] } },
  ],
};
