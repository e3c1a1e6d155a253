import type { Dialect } from './dialect.ts';

/** Dialects whose lines stand for themselves, or nest between words. */
export const LINE_DIALECTS: readonly Dialect[] = [];
