import type { LexRule } from '#db/schemas/golden-config/config-parser.ts';
import { dialects } from '../parsing/dialect.ts';

/** Rules of the built-in parsers by name (contract/lifecycle#4.4). */
export const BUILT_IN_PARSERS: ReadonlyMap<string, readonly LexRule[]> = new Map(
  dialects.map(({ name, lexRules }) => [name, lexRules]),
);
