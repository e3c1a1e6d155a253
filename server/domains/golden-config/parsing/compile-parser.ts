import { isDeepStrictEqual } from 'node:util';
import type { LexRule } from '#db/schemas/golden-config/config-parser.ts';

import type { ParsedConfig } from './config-line.ts';
import { type Dialect, dialectOf } from './dialect.ts';
import { readByRules } from './lexed.ts';
import { parseConfig } from './parse.ts';

/** What reads configurations of one parser. */
export type ConfigReader = {
  dialect: Dialect;
  read: (text: string) => ParsedConfig;
};

/**
 * The reader of a parser document (contract/lifecycle#4.4): its own rules over the grammar that its template names. Rules
 * that are those of the template are read by the scanner that is made for it: it gives the same, and knows banners besides.
 *
 * @returns undefined when no built-in grammar has the template's name
 * @throws RE2JSSyntaxException for a rule that was not checked (lex-rules)
 */
export function compileParser({
  template,
  lexRules,
}: {
  template: string;
  lexRules?: readonly LexRule[] | undefined;
}): ConfigReader | undefined {
  const dialect = dialectOf(template);
  if (!dialect) return undefined;
  if (!lexRules || isDeepStrictEqual(lexRules, dialect.lexRules)) {
    return { dialect, read: (text) => parseConfig(text, dialect) };
  }
  return { dialect, read: (text) => toEnd(readByRules(text, lexRules, dialect)) };
}

function toEnd<T>(steps: Generator<void, T, undefined>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}
