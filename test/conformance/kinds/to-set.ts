import { dialectOf } from '#server/engines/dialects/dialect.ts';
import { parseConfig } from '#server/engines/dialects/parse.ts';
import { toSet as paths } from '#server/engines/dialects/to-set.ts';
import type { Kind } from '../case.ts';

/** The `set` form of a configuration between braces. */
export const toSet: Kind = ({ os, given }) => {
  const dialect = dialectOf(os);
  const { config } = given as { config: string };
  return dialect
    ? paths(parseConfig(config, dialect), dialect.name === 'paloalto-panos').join('\n')
    : undefined;
};
