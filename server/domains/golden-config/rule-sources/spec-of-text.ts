import type { LexRule } from '#db/schemas/golden-config/config-parser.ts';
import { compileParser } from '../parsing/compile-parser.ts';
import { generateLines } from './generate.ts';
import { stableLineIds } from './line-ids.ts';
import { printTemplate } from './print.ts';

/** A configuration, and the parser to read it with. */
export type SpecSource = {
  template: string;
  lexRules?: readonly LexRule[] | undefined;
  nativeConfig: string;
};

/**
 * Returns rules that require every line of a configuration, and the template that they print to; as JSON text, since
 * passing a hundred thousand rules between threads would take seconds.
 *
 * @throws Error for a parser that does not exist
 */
export function specTextOf({ nativeConfig, ...source }: SpecSource) {
  const reader = compileParser(source);
  if (!reader) throw new Error(`parser template ${source.template} does not exist`);
  const { dialect, read } = reader;
  const { lines, issues } = generateLines(nativeConfig, dialect, stableLineIds(''), read);
  return { text: JSON.stringify({ lines, template: printTemplate(lines, dialect) }), issues };
}
