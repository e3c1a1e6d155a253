import type { PlatformRecord } from './record/platform-record.ts';
import { lines } from './shared/parser-rules.ts';

/** Configurations in XML, whatever the system: pfSense, OPNsense, exports of PAN-OS, replies of NETCONF. */
export const xml: PlatformRecord = {
  name: 'xml',
  title: 'XML',
  aliases: ['opnsense', 'pfsense'],
  text: { structure: 'tags', lexRules: lines('<[!?]'), comments: ['<!--'], negation: '' },
  // An XML configuration is not a list of commands.
  commands: { form: 'none', removes: false },
};
