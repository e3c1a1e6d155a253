import { isDeepStrictEqual } from 'node:util';
import type { LexRule } from '#db/schemas/golden-config/config-parser.ts';

import type { ParsedConfig } from './config-line.ts';
import { type Dialect, dialectOf } from './dialect.ts';
import { readByRules } from './lexed.ts';
import { parseConfig } from './parse.ts';

/** The configuration reader of one parser. */
export type ConfigReader = {
  dialect: Dialect;
  read: (text: string) => ParsedConfig;
};

/**
 * Returns the reader of a parser document (contract/lifecycle#4.4): its own lex rules over the grammar that its template
 * names. If the lex rules equal those of the template, the grammar's scanner reads the text instead: it returns the same
 * tree and also recognises banners. `read` throws RE2JSSyntaxException for a rule that was not checked (lex-rules).
 *
 * @returns undefined when no built-in grammar has the template's name
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
