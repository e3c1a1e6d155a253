import { BRACE_DIALECTS } from '../dialects/brace-dialects.ts';
import { INDENT_DIALECTS } from '../dialects/indent-dialects.ts';
import { LINE_DIALECTS } from '../dialects/line-dialects.ts';
import type { Dialect } from './grammar.ts';

export type { Dialect } from './grammar.ts';

/** Every dialect. */
export const dialects: readonly Dialect[] = [...INDENT_DIALECTS, ...BRACE_DIALECTS, ...LINE_DIALECTS];

const BY_NAME = new Map<string, Dialect>();
for (const dialect of dialects) {
  for (const name of [dialect.name, ...dialect.aliases]) BY_NAME.set(name, dialect);
}

/** The dialect that has this name or alias; case, and `_` for `-`, make no difference (contract/decisions#parser-test). */
export function dialectOf(name: string): Dialect | undefined {
  const plain = name.toLowerCase().replaceAll('_', '-');
  // Ansible names a platform by collection and module: cisco.ios.ios.
  const module = /^[\w-]+\.[\w-]+\.([\w-]+)$/.exec(plain)?.[1];
  return BY_NAME.get(name) ?? BY_NAME.get(plain) ?? (module === undefined ? undefined : BY_NAME.get(module));
}

/** Every name and alias of a dialect. */
export const dialectNames = (): Iterable<string> => BY_NAME.keys();
