import type { CommandSyntax } from '../record/command-syntax.ts';
import { also } from './syntax-words.ts';

/** Text format of sections in both command lines of SR OS. */
export const SR_OS_TEXT = {
  structure: 'indent',
  comments: ['#', 'echo "'],
  multilineQuotes: true,
  closers: ['exit'],
  titles: 'echo "',
  topLevel: ['configure', 'exit', 'admin', 'bof', 'debug', 'environment'],
  step: 4,
} as const;

/** A leading `/`, `\\` or `//` switches to the root, or to the other command line. */
export const SR_OS_SYNTAX: Partial<CommandSyntax> = {
  filters: ['count', 'match', 'no-more'],
  wordBreaks: '/\\',
  hasContexts: true,
  comments: ['#'],
  interpreters: also('interpreters', 'exec, pyexec'),
};
