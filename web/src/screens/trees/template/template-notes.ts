import type { Problem } from '~/api/problem.ts';

/** A likely mistake or an error in a template, at its line and column. */
export type TemplateNote = { line: number; column: number; message: string; isError?: boolean };

/** Returns an issue with a place in the template as a note. */
export const noteOf = ({ message, line, column }: Problem['issues'][number]): TemplateNote[] =>
  line === undefined ? [] : [{ line, column: column ?? 1, message, isError: true }];
