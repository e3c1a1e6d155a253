import { dialectOf } from '#server/domains/golden-config/parsing/dialect.ts';
import { parseConfig } from '#server/domains/golden-config/parsing/parse.ts';
import { toSet as paths } from '#server/domains/golden-config/parsing/to-set.ts';
import type { Kind } from '../case.ts';

/** The `set` form of a configuration between braces. */
export const toSet: Kind = ({ os, given }) => {
  const dialect = dialectOf(os);
  const { config } = given as { config: string };
  return dialect
    ? paths(parseConfig(config, dialect), dialect.name === 'paloalto-panos').join('\n')
    : undefined;
};
