import { PLATFORMS } from '#server/platforms/index.ts';
import type { Dialect, Structure } from '#server/platforms/record/grammar.ts';

export type { Dialect } from '#server/platforms/record/grammar.ts';

const INDENT = {
  comments: ['!'],
  volatile: [],
  blocks: [],
  multilineQuotes: false,
  continued: false,
  closers: [],
  step: 1,
  negation: 'no ',
  defaults: [],
};
const FLAT = { ...INDENT, comments: ['#'], step: 4 };
const BRACE = { ...FLAT, multilineQuotes: true, negation: 'delete ' };

/** Defaults for the fields that a platform's record omits. */
const DEFAULTS: Readonly<Record<Structure, Omit<Dialect, 'name' | 'aliases' | 'structure' | 'lexRules'>>> = {
  indent: INDENT,
  brace: BRACE,
  set: FLAT,
  keyword: FLAT,
  tags: FLAT,
  flat: FLAT,
};

/** All dialects. */
export const dialects: readonly Dialect[] = PLATFORMS.flatMap(({ name, aliases = [], text }) =>
  text ? [{ ...DEFAULTS[text.structure], ...text, name, aliases }] : [],
);

const BY_NAME = new Map<string, Dialect>();
for (const dialect of dialects) {
  for (const name of [dialect.name, ...dialect.aliases]) BY_NAME.set(name, dialect);
}

/** Returns the dialect with this name or alias; ignores case and treats `_` as `-` (contract/decisions#parser-test). */
export function dialectOf(name: string): Dialect | undefined {
  const plain = name.toLowerCase().replaceAll('_', '-');
  // Ansible names a platform by collection and module: cisco.ios.ios.
  const module = /^[\w-]+\.[\w-]+\.([\w-]+)$/.exec(plain)?.[1];
  return BY_NAME.get(name) ?? BY_NAME.get(plain) ?? (module === undefined ? undefined : BY_NAME.get(module));
}

/** Returns the names and aliases of all dialects. */
export const dialectNames = (): Iterable<string> => BY_NAME.keys();
