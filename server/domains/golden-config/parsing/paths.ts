import type { ConfigLine } from './config-line.ts';

/** First words of the lines that are whole paths and need no braces around them. */
export const PATH_VERBS = ['set ', 'delete ', 'activate ', 'deactivate ', 'protect ', 'annotate '] as const;

/** Returns whether a line is a whole path at the top level. */
export const isPath = ({ parent, text }: ConfigLine): boolean =>
  parent === null && PATH_VERBS.some((verb) => text.startsWith(verb));
