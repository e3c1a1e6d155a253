import type { PlatformRecord } from './record/platform-record.ts';
import { COMWARE_CONFIG, COMWARE_SYNTAX, COMWARE_TEXT } from './shared/comware-like.ts';
import { lines } from './shared/parser-rules.ts';

/** Settings with one value, with the number of their words: a new value replaces it, and a negation omits it. */
const SINGLE_VALUES = [
  ['clock timezone *', 2],
  ['mpls lsr-id *', 2],
  ['** > mtu *', 1],
  ['** > port default vlan *', 3],
  ['** > port link-type *', 2],
  ['** > port trunk pvid vlan *', 4],
  ['** > ospf|isis cost *', 2],
  ['** > ospf network-type *', 2],
  ['** > isis circuit-level *', 2],
  ['** > idle-timeout *', 1],
  ['** > screen-length *', 1],
  ['** > user privilege level *', 3],
  ['** > authentication-mode *', 1],
  ['** > protocol inbound *', 2],
  ['** > set authentication password *', 3],
  ['** > hwtacacs server shared-key *', 3],
] as const;

export const huaweiVrp: PlatformRecord = {
  name: 'huawei-vrp',
  title: 'Huawei VRP',
  aliases: ['huawei', 'vrp', 'huawei-vrpv8', 'huawei-smartax'],
  orchestratorNames: /vrp|huawei/,
  text: {
    ...COMWARE_TEXT,
    lexRules: lines('[#!]'),
    comments: ['#', '!'],
    blocks: [{ begins: 'header * information', ends: 'delimiter' }, ...COMWARE_TEXT.blocks],
  },
  commands: {
    replaces: SINGLE_VALUES.map(([path]) => path.replace(/ \*$/, '')),
    // A negation omits the value.
    negates: [
      ...SINGLE_VALUES.map(([path, words]) => [path, `undo {${words === 1 ? '' : '1-'}${words}}`] as const),
      ['acl > rule # permit|deny|remark', 'undo {2}'],
      ['** > description|alias *', 'undo {1}'],
      ['** > remark *', 'undo {1}'],
      ['** > * remark *', 'undo {2}'],
      ['** > * * remark *', 'undo {3}'],
      ['snmp-agent community read|write cipher *', 'undo {5}'],
      ['snmp-agent community read|write *', 'undo {4}'],
      ['snmp-agent community cipher *', 'undo {4}'],
      ['snmp-agent community *', 'undo {3}'],
      ['header *', 'undo {2}'],
    ],
    exit: { text: 'quit', everywhere: true },
  },
  deviceTypes: [
    {
      device_type: 'huawei',
      prompts: [
        '(?:HRP_[AMS])?<{host}>',
        '(?:HRP_[AMS])?\\[[~*]?{host}[^\\]]{0,60}\\]',
        '(?:HRP_[AMS])?<[^>]{1,64}>',
        '(?:HRP_[AMS])?\\[[~*]?[^\\]]{1,80}\\]',
      ],
      prepare: ['screen-length 0 temporary'],
      failures: [
        'Error:',
        'Error\\[',
        'Unrecognized command',
        'Failure:',
        '% ?(?:Unknown|Unrecognized|Incomplete|Ambiguous|Parameter error|Wrong|Too many)',
      ],
      detect: { ident: ['HUAWEI'], words: ['Huawei', 'VRP'] },
      config: {
        ...COMWARE_CONFIG,
        noise: ['!(?:Last configuration was .*|Software Version .*)'],
      },
      syntax: COMWARE_SYNTAX,
    },
    {
      device_type: 'huawei_vrp',
      aliases: ['vrp', 'ce', 'huawei_ce'],
      description: 'Huawei VRP',
      extends: 'huawei',
      detect: {},
    },
    {
      device_type: 'huawei_vrpv8',
      description: 'Huawei VRP 8',
      extends: 'huawei',
      detect: {},
      config: {
        ...COMWARE_CONFIG,
        abandon: ['clear configuration candidate', 'return'],
        noise: ['!(?:Last configuration was .*|Software Version .*)'],
        apply: ['commit'],
      },
    },
  ],
};
