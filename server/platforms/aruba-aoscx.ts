import type { PlatformRecord } from './record/platform-record.ts';
import { CISCO_LIKE, TERMINAL } from './shared/cisco-like.ts';
import { lines, QUOTED } from './shared/parser-rules.ts';
import { SENTENCES } from './shared/rejections.ts';

export const arubaAoscx: PlatformRecord = {
  name: 'aruba-aoscx',
  title: 'Aruba AOS-CX',
  aliases: ['aruba-os-cx', 'aoscx', 'hpe-aruba-cx', 'aruba-os'],
  orchestratorNames: /aoscx|aos-cx/,
  text: {
    structure: 'indent',
    lexRules: lines('!', QUOTED),
    volatile: ['Current configuration:'],
    blocks: [{ begins: 'banner *', ends: { head: '!' } }],
    step: 4,
  },
  commands: CISCO_LIKE,
  deviceTypes: [
    {
      device_type: 'aruba_os',
      description: 'Aruba mobility controllers',
      prompts: [
        '\\({host}\\)(?: ?[*^]){0,2}(?: ?\\[[^\\]]{1,60}\\])?(?: \\([^)]*\\))? ?[>#]',
        // An access point that controls others.
        '{host}(?: ?\\([^)]*\\))? ?[>#]',
      ],
      enable: 'enable',
      enter: '\r',
      prepare: ['no paging'],
      failures: ['% ?(?:Invalid|Parse|Incomplete|Ambiguous)', 'Error:'],
      detect: { words: ['ArubaOS', 'Aruba Operating System'] },
      config: TERMINAL,
    },
    {
      device_type: 'aruba_aoscx',
      aliases: ['aoscx', 'aruba_os_cx', 'arubanetworks_aoscx', 'aruba_aos_cx'],
      description: 'Aruba AOS-CX',
      prompts: ['{host}[>#]', '{host}\\([^)]*\\)#'],
      enter: '\r',
      prepare: ['no page'],
      failures: [
        'Invalid input',
        '% ?(?:Command incomplete|Ambiguous|Unknown|Invalid)',
        'Ambiguous command',
        'Command incomplete',
        '.{1,60} (?:does not|doesn.t) exist',
        '.{1,100} is already configured on ',
        ...SENTENCES,
      ],
      detect: { words: ['ArubaOS-CX', 'AOS-CX'] },
      config: { ...TERMINAL, noise: ['Current configuration:'] },
    },
  ],
};
