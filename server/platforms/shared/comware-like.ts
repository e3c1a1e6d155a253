import type { CommandSyntax } from '../record/command-syntax.ts';
import type { Configuring } from '../record/driver-data.ts';
import { words } from '../record/words.ts';
import { also } from './syntax-words.ts';

/** Text format of Comware and VRP configurations. */
export const COMWARE_TEXT = {
  structure: 'indent',
  comments: ['#'],
  blocks: [{ begins: 'header *', ends: 'delimiter' }],
  separator: '#',
  negation: 'undo ',
} as const;

export const COMWARE_CONFIG: Configuring = {
  show: 'display current-configuration',
  enter: ['system-view'],
  leave: ['return'],
  abandon: ['return'],
};

/** `display … > file` writes a file. */
export const COMWARE_SYNTAX: Partial<CommandSyntax> = {
  hasAlternation: true,
  separators: [';', '\n'],
  filters: words('begin, by-linenum, count, exclude, include'),
  sinks: ['append', 'redirect', 'save', 'tee'],
  comments: ['#', '!'],
  carriers: also('carriers', 'command-alias, command-privilege, ifmatch'),
  interpreters: also('interpreters', '_hidecmd, execute, xtd-cli-mode'),
};
