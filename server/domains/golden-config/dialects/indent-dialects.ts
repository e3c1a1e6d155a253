import type { BlockRule, Dialect } from '../parsing/grammar.ts';

const CARET_C = { ends: 'delimiter', caretC: true } as const;

const IOS_BLOCKS: readonly BlockRule[] = [
  { begins: 'banner *', ...CARET_C },
  { begins: 'vacant-message', ...CARET_C },
  { begins: 'aaa authentication banner', ...CARET_C },
  { begins: 'aaa authentication fail-message', ...CARET_C },
  { begins: 'menu * title', ...CARET_C },
  { begins: 'macro name *', ends: { line: '@' } },
];
const HEX: readonly BlockRule[] = [
  { begins: 'certificate', ends: 'hex' },
  { begins: 'key-string', ends: 'hex' },
];

/** What dialects that nest by indentation have in common unless they say otherwise. */
const INDENT = {
  aliases: [] as readonly string[],
  structure: 'indent',
  comments: ['!'] as readonly string[],
  volatile: [] as readonly string[],
  blocks: [] as readonly BlockRule[],
  multilineQuotes: false,
  continued: false,
  closers: [] as readonly string[],
  step: 1,
  negation: 'no ',
} as const;

const CISCO_VOLATILE = ['Building configuration...', 'Current configuration :', 'ntp clock-period '];

const COMWARE = {
  ...INDENT,
  comments: ['#'],
  blocks: [{ begins: 'header *', ends: 'delimiter' }],
  separator: '#',
  negation: 'undo ',
} as const;

const SR_OS = {
  ...INDENT,
  comments: ['#', 'echo "'],
  multilineQuotes: true,
  closers: ['exit'],
  titles: 'echo "',
  topLevel: ['configure', 'exit', 'admin', 'bof', 'debug', 'environment'],
  step: 4,
} as const;

/** Dialects whose lines nest by their indentation. */
export const INDENT_DIALECTS: readonly Dialect[] = [
  {
    ...INDENT,
    name: 'cisco-ios',
    aliases: ['cisco-xe', 'cisco-iosxe', 'cisco-ios-xe', 'ios', 'iosxe', 'cisco-s300', 'cisco-viptela'],
    volatile: CISCO_VOLATILE,
    blocks: [...IOS_BLOCKS, ...HEX],
  },
  {
    ...INDENT,
    name: 'cisco-ios-xr',
    aliases: ['cisco-iosxr', 'cisco-xr', 'iosxr'],
    volatile: CISCO_VOLATILE,
    blocks: [{ begins: 'banner *', ends: 'delimiter' }],
  },
  {
    ...INDENT,
    name: 'cisco-nx',
    step: 2,
    aliases: ['cisco-nxos', 'cisco-nx-os', 'nxos', 'nxos-ssh'],
    volatile: CISCO_VOLATILE,
    blocks: [{ begins: 'banner *', ...CARET_C }],
  },
  {
    ...INDENT,
    name: 'cisco-asa',
    aliases: ['cisco-ftd', 'asa'],
    comments: ['!', ':'],
    volatile: ['Cryptochecksum:'],
    blocks: HEX,
  },
  {
    ...INDENT,
    name: 'cisco-staros',
    step: 2,
    aliases: ['staros'],
    comments: ['#'],
    closers: ['exit', '#exit'],
    topLevel: ['config', 'end'],
  },
  {
    ...INDENT,
    name: 'arista-eos',
    step: 3,
    aliases: ['eos'],
    blocks: [
      { begins: 'banner *', ends: { line: 'EOF' } },
      { begins: 'action bash', ends: { line: 'EOF' } },
      { begins: 'code', ends: { line: 'EOF' } },
    ],
  },
  { ...INDENT, name: 'a10-acos', aliases: ['a10', 'acos'], volatile: ['Current configuration:'] },
  {
    ...INDENT,
    name: 'aruba-aoscx',
    step: 4,
    aliases: ['aruba-os-cx', 'aoscx', 'hpe-aruba-cx', 'aruba-os'],
    blocks: [{ begins: 'banner *', ends: { head: '!' } }],
    volatile: ['Current configuration:'],
  },
  {
    ...INDENT,
    name: 'ruckus-fastiron',
    aliases: ['brocade-fastiron', 'fastiron', 'brocade-icx', 'ruckus-icx', 'commscope-fastiron'],
    volatile: ['Current configuration:'],
    blocks: [{ begins: 'banner *', ends: 'delimiter' }],
  },
  {
    ...INDENT,
    name: 'extreme-netiron',
    aliases: ['brocade-netiron', 'netiron'],
    comments: ['!', '#'],
    volatile: ['Current configuration:'],
    blocks: [{ begins: 'banner *', ends: 'delimiter' }],
  },
  { ...INDENT, name: 'mrv-optiswitch', aliases: ['optiswitch'], comments: ['!', '#'] },
  {
    ...COMWARE,
    name: 'hp-comware',
    aliases: ['hpe-comware', 'comware', 'h3c-comware'],
  },
  {
    ...COMWARE,
    name: 'huawei-vrp',
    aliases: ['huawei', 'vrp', 'huawei-vrpv8', 'huawei-smartax'],
    comments: ['#', '!'],
  },
  {
    ...INDENT,
    name: 'hp-procurve',
    step: 3,
    aliases: ['aruba-osswitch', 'procurve', 'hpe-procurve', 'aruba-procurve', 'hp-network-operating-system'],
    comments: [';', '!'],
    blocks: [{ begins: 'banner * !', ends: { head: '!' } }],
    volatile: ['Running configuration:'],
    multilineQuotes: true,
    closers: ['exit'],
    closersInside: true,
  },
  {
    ...INDENT,
    name: 'dell-os10',
    aliases: ['dell-os9', 'dell-force10', 'dell-ftos', 'dell-os6', 'dell-powerconnect', 'dellos10', 'dell'],
    volatile: ['Current Configuration ...'],
    blocks: [{ begins: 'banner *', ends: 'delimiter' }],
  },
  { ...SR_OS, name: 'alu-sr', aliases: ['alcatel-sros', 'alcatel-aos', 'alcatel-sr'] },
  { ...SR_OS, name: 'nokia-sros', aliases: ['sros', 'nokia-sros-md'], orBraces: true },
  {
    ...INDENT,
    name: 'rad-etx',
    step: 4,
    aliases: [],
    comments: ['#', 'echo "'],
    continued: true,
    closers: ['exit'],
    topLevel: ['configure', 'exit'],
  },
  {
    ...INDENT,
    name: 'adva-fsp150',
    step: 2,
    aliases: ['adva-fsp150f2', 'adva-fsp150f3'],
    comments: ['#', 'remark '],
    volatile: ['Preparing configuration file...'],
    closers: ['back'],
    closersInside: true,
  },
  { ...INDENT, name: 'linux', aliases: ['cumulus-linux', 'cumulus', 'generic-linux'], comments: ['#'] },
];
