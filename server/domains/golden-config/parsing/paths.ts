import type { ConfigLine } from './config-line.ts';

/** What a line begins with that is a whole path, and needs no braces around it. */
export const PATH_VERBS = ['set ', 'delete ', 'activate ', 'deactivate ', 'protect ', 'annotate '] as const;

/** Whether a line stands at the top and is a whole path. */
export const isPath = ({ parent, text }: ConfigLine): boolean =>
  parent === null && PATH_VERBS.some((verb) => text.startsWith(verb));
