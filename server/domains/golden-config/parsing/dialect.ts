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

/** What the record of a platform leaves out. */
const DEFAULTS: Readonly<Record<Structure, Omit<Dialect, 'name' | 'aliases' | 'structure' | 'lexRules'>>> = {
  indent: INDENT,
  brace: BRACE,
  set: FLAT,
  keyword: FLAT,
  flat: FLAT,
};

/** Every dialect. */
export const dialects: readonly Dialect[] = PLATFORMS.flatMap(({ name, aliases = [], text }) =>
  text ? [{ ...DEFAULTS[text.structure], ...text, name, aliases }] : [],
);

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
