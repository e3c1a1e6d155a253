import * as fc from 'fast-check';
import type { ConfigLine, ParsedConfig } from '#server/domains/golden-config/parsing/config-line.ts';
import { type Dialect, dialectOf, dialects } from '#server/domains/golden-config/parsing/dialect.ts';
import { parseConfig } from '#server/domains/golden-config/parsing/parse.ts';
import { toSet } from '#server/domains/golden-config/parsing/to-set.ts';
import { compiledPlatform } from '#server/domains/golden-config/remediation/commands/compiled-platform.ts';

/** A built-in dialect, which must be there. */
export function dialect(name: string): Dialect {
  const found = dialectOf(name);
  if (!found) throw new Error(`no dialect ${name}`);
  return found;
}

/** Lines as sets of lines: what a device keeps, whatever the order. */
export type Kept = Map<string, Kept>;

/** What a device that keeps lines below lines has after reading a configuration. */
export function kept({ lines }: ParsedConfig, into: Kept = new Map()): Kept {
  for (const line of lines) {
    const below = into.get(line.text) ?? new Map();
    into.set(line.text, below);
    kept({ lines: line.children, warnings: [] }, below);
  }
  return into;
}

/** The device after it ran commands: `no x` removes x and all below it, anything else is added. */
export function afterCommands(state: Kept, text: string, of: Dialect): Kept {
  const { leaving } = compiledPlatform(of, { lines: [], warnings: [] });
  const take = (lines: readonly ConfigLine[], into: Kept) => {
    for (const line of lines) {
      if (line.text.startsWith(of.negation)) into.delete(line.text.slice(of.negation.length));
      else if (!leaving.has(line.text)) {
        const below = into.get(line.text) ?? new Map();
        into.set(line.text, below);
        take(line.children, below);
      }
    }
  };
  take(parseConfig(text, { ...of, closers: [] }).lines, state);
  return state;
}

/** The paths that a device which takes `set` and `delete` has after commands. */
export function afterPaths(state: ParsedConfig, text: string): Set<string> {
  const paths = new Set(toSet(state));
  for (const line of text.split('\n')) {
    if (line.startsWith('set ')) paths.add(line);
    else if (line.startsWith('delete ')) {
      const gone = `set ${line.slice(7)}`;
      for (const path of paths) if (path === gone || path.startsWith(`${gone} `)) paths.delete(path);
    }
  }
  return paths;
}

/** Paths of a device without those that only lead to others: they exist with them. */
export const whole = (paths: Iterable<string>): Set<string> => {
  const all = [...paths];
  return new Set(all.filter((path) => !all.some((other) => other.startsWith(`${path} `))));
};

/** A line and the lines below it. */
export type Invented = { text: string; below: Invented[] };

const word = fc.constantFrom('alpha', 'beta', 'gamma', 'delta', '7', '10.0.0.1', 'x-1');
const words = fc.array(word, { minLength: 1, maxLength: 2 }).map((all) => all.join(' '));

/** Lines of words that mean nothing to any dialect; no two below one line are the same. */
export const invented: fc.Arbitrary<Invented[]> = fc.letrec<{ lines: Invented[] }>((tie) => ({
  lines: fc.uniqueArray(
    fc.record({
      text: words,
      below: fc.oneof({ maxDepth: 2, depthIdentifier: 'lines' }, fc.constant<Invented[]>([]), tie('lines')),
    }),
    { maxLength: 4, selector: ({ text }) => text },
  ),
})).lines;

const indented = (lines: readonly Invented[], step: number, depth = 0): string =>
  lines
    .map(({ text, below }) => `${' '.repeat(depth * step)}${text}\n${indented(below, step, depth + 1)}`)
    .join('');

const braced = (lines: readonly Invented[], end: string, depth = 0): string =>
  lines
    .map(({ text, below }) => {
      const blanks = '    '.repeat(depth);
      return below.length === 0
        ? `${blanks}${text}${end}\n`
        : `${blanks}${text} {\n${braced(below, end, depth + 1)}${blanks}}\n`;
    })
    .join('');

const paths = (lines: readonly Invented[], above = 'set'): string =>
  lines
    .map(({ text, below }) => (below.length === 0 ? `${above} ${text}\n` : paths(below, `${above} ${text}`)))
    .join('');

/** Returns how a platform writes lines; sections below those of the first words that may be at the top. */
export function writerOf({ structure, step, terminator, topLevel }: Dialect) {
  return (lines: readonly Invented[]): string => {
    if (structure === 'brace') return braced(lines, terminator ?? '');
    const nested = structure === 'indent' ? lines : lines.map(({ text }) => ({ text, below: [] }));
    const [first] = topLevel ?? [];
    return indented(first && lines.length > 0 ? [{ text: first, below: [...nested] }] : nested, step);
  };
}

/** Every platform that takes lines below lines, or whole paths, and can remove both; Junos also shown as paths. */
export const WRITTEN: readonly [name: string, write: (lines: readonly Invented[]) => string][] = [
  ...dialects.flatMap((of): [string, (lines: readonly Invented[]) => string][] => {
    const { form, removes } = compiledPlatform(of, { lines: [], warnings: [] }).rules;
    const isCovered = removes && (form === 'paths' || form === 'lines') && of.structure !== 'keyword';
    return isCovered ? [[of.name, writerOf(of)]] : [];
  }),
  ['juniper-junos', (lines) => paths(lines)],
];
