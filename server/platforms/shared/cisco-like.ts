import type { CommandSyntax } from '../record/command-syntax.ts';
import type { Configuring } from '../record/driver-data.ts';
import type { PlatformRules, SectionExit } from '../record/platform-rules.ts';
import { words } from '../record/words.ts';

/** Why a line is rejected, somewhere in the sentence. `VLAN does not exist. Creating vlan 20` rejects nothing. */
const REASONS = [
  'already (?:exists|in use)',
  'can ?not be',
  'conflicts with',
  'does not exist(?:\\s*$|[^.]|\\.\\s*(?:$|Create\\b))',
  'does(?: not|n.t) (?:match|support)',
  'exceed(?:s|ed) (?:the )?(?:max|valid)',
  'first\\.?\\s*$',
  'in progress; wait',
  'is (?:being used|in use|invalid|linked to|not valid)',
  'must not',
  'not (?:allowed|permitted|supported|valid)',
  'only allowed',
  'overlaps with',
  'please enable',
  'String is invalid',
  'VRF \\S{1,32} not configured',
];

/** Prefixes of the lines with which Cisco and similar devices reject a command. */
export const PERCENT = [
  '% ?(Invalid|Incomplete|Ambiguous|Unknown|Unrecognized|Command incomplete|E(?i:rror)|Bad|Not)',
  '% ?(?:Cannot|Configuration failed|Failed to|Inconsistent|Insertion failed|Malformed|Policy commands not)\\b',
  '% ?(?:There is no matched command|Unable|Unmatched|Wrong)\\b',
  '%?.{0,40}authorization failed',
  'Command rejected',
  ...REASONS.map((reason) => `% ?.{0,80}\\b(?i:${reason})`),
];

export const LENGTH_0 = ['terminal length 0', 'terminal width 511'];

/** Configuration lines that report when it was printed or changed. */
export const NOISE = [
  'Building configuration\\.\\.\\.',
  'Current configuration *: .*',
  '! (?:Last configuration change|NVRAM config last updated|No configuration change) .*',
  'ntp clock-period \\d+',
];

/** Lines take effect as they are entered; `end` leaves the mode from any depth. */
export const TERMINAL: Configuring = {
  show: 'show running-config',
  noise: NOISE,
  enter: ['configure terminal'],
  leave: ['end'],
  abandon: ['end'],
};

/** Syntax of systems similar to IOS. Not all document whether `;` separates commands, so it is assumed. */
export const IOS_LIKE: Partial<CommandSyntax> = {
  hasAlternation: true,
  separators: [';', '\n'],
  redirects: ['>'],
};

export const BGP_EXITS: readonly SectionExit[] = [
  { at: 'router bgp > template peer-policy', text: 'exit-peer-policy' },
  { at: 'router bgp > template peer-session', text: 'exit-peer-session' },
  { at: 'router bgp > address-family', text: 'exit-address-family' },
];

export const IOS_IGNORES = words(`
  version, end$, * > no ip address$, ** > exit-peer-policy$, ** > exit-peer-session$, ** > exit-address-family$,
  crypto key generate rsa general-keys`);

export const NESTED_EXIT = { text: 'exit', everywhere: false } as const;

/** Commands whose last words are the value: their negation omits it. */
export const COMMON_NEGATES = [
  ['banner *', 'no {2}'],
  ['ip|ipv6 prefix-list * seq # *', 'no {5}'],
  ['snmp-server user * *', 'no {3}'],
] as const;

/** Lines whose new value replaces the previous one. */
export const COMMON_REPLACES = [
  'client * server-key',
  'hardware access-list tcam region *',
  'hardware profile tcam region *',
];

/** Commands of devices similar to Cisco's, of which no more is known. */
export const CISCO_LIKE: PlatformRules = {
  replaces: ['hostname', ...COMMON_REPLACES],
  negates: COMMON_NEGATES,
  exit: NESTED_EXIT,
};
