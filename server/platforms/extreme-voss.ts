import type { PlatformRecord } from './record/platform-record.ts';
import { CISCO_LIKE, IOS_LIKE, PERCENT, TERMINAL } from './shared/cisco-like.ts';
import { lines, QUOTED } from './shared/parser-rules.ts';

/** Like FASTPATH, it prints the lines of a section at the very left, and `exit` behind them. */
export const extremeVoss: PlatformRecord = {
  name: 'extreme-voss',
  title: 'Extreme VOSS (Fabric Engine)',
  aliases: ['voss', 'extreme-vsp', 'fabric-engine'],
  orchestratorNames: /\bvoss\b|fabric engine/,
  text: {
    structure: 'indent',
    lexRules: lines('#', QUOTED),
    comments: ['#'],
    volatile: ['config terminal', 'configure terminal'],
    closers: ['exit'],
    sections: {
      // `router isis enable` is a line; `router isis` opens a section.
      top: /^(?:interface|router(?= (?:(?:bgp|isis|ospf|rip|vrrp)$|vrf ))|mgmt(?= (?:\d+|clip|oob|vlan)\b)|i-sid(?= \d+ elan)|logical-intf|route-map|application$)/,
      inner: /^route-map(?= |$)/,
      closes: 'exit',
    },
  },
  commands: { ...CISCO_LIKE, exit: { text: 'exit', everywhere: true } },
  deviceTypes: [
    {
      device_type: 'extreme_vsp',
      aliases: ['voss', 'extreme_voss', 'fabric_engine'],
      prompts: ['{host}(?::\\d)?[>#]', '{host}(?::\\d)?\\([^)]*\\)#'],
      enable: 'enable',
      prepare: ['terminal more disable'],
      failures: [...PERCENT, 'Error ?:'],
      detect: { words: ['VSP Operating System', 'Fabric Engine'] },
      config: TERMINAL,
      syntax: IOS_LIKE,
    },
  ],
};
