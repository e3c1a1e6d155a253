import type { Dialect } from './dialect.ts';

/** Dialects whose lines nest between braces; a line of a `set` path is a statement without braces. */
export const BRACE_DIALECTS: readonly Dialect[] = [];
