import type { ParsedConfig } from './config-line.ts';
import type { Dialect } from './dialect.ts';
import { readIndented } from './indent.ts';

/**
 * Read a configuration as a tree of its lines, in one pass, in time linear to the text. No text makes it throw: what
 * it cannot make sense of stays as a flat line, told by a warning. Strings of the result are views of the text; see
 * `flat` for those that outlive it.
 *
 * @see design/compliance §4.1
 */
export const parseConfig = (text: string, dialect: Dialect): ParsedConfig => readIndented(text, dialect);
