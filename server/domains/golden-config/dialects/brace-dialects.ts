import type { BlockRule, Dialect } from '../parsing/grammar.ts';

const BRACE = {
  aliases: [] as readonly string[],
  structure: 'brace',
  comments: ['#'] as readonly string[],
  volatile: [] as readonly string[],
  blocks: [] as readonly BlockRule[],
  multilineQuotes: true,
  continued: false,
  closers: [] as readonly string[],
  step: 4,
  negation: 'delete ',
} as const;

const SCRIPTS = ['ltm rule', 'gtm rule', 'pem irule', 'cli script', 'sys icall script'];

/** Dialects whose lines nest between braces; a line that is a whole `set` path is a statement without braces. */
export const BRACE_DIALECTS: readonly Dialect[] = [
  {
    ...BRACE,
    name: 'juniper-junos',
    aliases: ['juniper', 'junos', 'juniper-screenos'],
    comments: ['#', '/*'],
    terminator: ';',
    prefixes: ['protect: '],
  },
  {
    ...BRACE,
    name: 'paloalto-panos',
    aliases: ['panos', 'palo-alto-panos'],
    comments: ['# ', '/*'],
    terminator: ';',
    runsOn: true,
    step: 2,
  },
  {
    ...BRACE,
    name: 'f5-bigip',
    aliases: ['bigip-f5', 'f5-ltm', 'f5-tmsh', 'f5-linux', 'f5'],
    blocks: SCRIPTS.map((begins) => ({ begins, ends: 'brace' as const })),
  },
  {
    ...BRACE,
    name: 'vyatta-vyos',
    aliases: ['vyos', 'vyatta', 'ubiquiti-edgerouter', 'ubiquiti-edge', 'edgeos'],
    comments: ['/*', '//', '#'],
  },
  { ...BRACE, name: 'nokia-srl', aliases: ['srl', 'srlinux', 'nokia-srlinux'], step: 2 },
];
