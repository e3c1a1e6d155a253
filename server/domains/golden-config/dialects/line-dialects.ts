import type { BlockRule, Dialect } from '../parsing/grammar.ts';

const FLAT = {
  aliases: [] as readonly string[],
  structure: 'flat',
  comments: ['#'] as readonly string[],
  volatile: [] as readonly string[],
  blocks: [] as readonly BlockRule[],
  multilineQuotes: false,
  continued: false,
  closers: [] as readonly string[],
  step: 4,
  negation: 'no ',
} as const;

/** The settings of airOS are comments where it only tells them; its own version, `##XC.v8`, is none. */
const AIROS_COMMENTS = [
  '## ',
  '### ',
  ...[...'abcdefghijklmnopqrstuvwxyz0123456789'].map((first) => `#${first}`),
];

/** Dialects whose lines stand for themselves, or nest between words. */
export const LINE_DIALECTS: readonly Dialect[] = [
  {
    ...FLAT,
    name: 'fortinet-fortios',
    aliases: ['fortinet', 'fortios', 'fortigate'],
    structure: 'keyword',
    multilineQuotes: true,
    keywords: { open: ['config', 'edit'], close: ['end', 'next'] },
    negation: 'unset ',
  },
  {
    ...FLAT,
    name: 'mikrotik-routeros',
    aliases: ['routeros', 'mikrotik-switchos', 'mikrotik'],
    structure: 'keyword',
    continued: true,
    keywords: { open: [], close: [], path: '/' },
    negation: 'remove ',
  },
  { ...FLAT, name: 'cisco-aireos', aliases: ['cisco-wlc', 'aireos', 'cisco-wlc-ssh'], comments: ['!', '#'] },
  {
    ...FLAT,
    name: 'citrix-netscaler',
    aliases: ['netscaler', 'citrix-adc'],
    comments: ['# '],
    negation: 'unset ',
  },
  { ...FLAT, name: 'ubiquiti-airos', aliases: ['airos', 'ubiquiti-airmax'], comments: AIROS_COMMENTS },
  { ...FLAT, name: 'ciena-saos', aliases: ['ciena-saos6', 'saos'], comments: ['!'], negation: 'unset ' },
  { ...FLAT, name: 'ciena-saos10', aliases: ['saos10'], comments: ['!'] },
  { ...FLAT, name: 'nvidia-onyx', aliases: ['mellanox', 'mellanox-mlnxos', 'onyx'], multilineQuotes: true },
  {
    ...FLAT,
    name: 'checkpoint-gaia',
    aliases: ['gaia', 'checkpoint'],
    structure: 'set',
    negation: 'delete ',
  },
  {
    ...FLAT,
    name: 'extreme-exos',
    aliases: ['extreme', 'exos'],
    negation: 'unconfigure ',
  },
  { ...FLAT, name: 'json', comments: [], structure: 'brace', negation: '' },
];
