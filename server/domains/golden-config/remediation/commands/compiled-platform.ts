import { PLATFORMS } from '#server/platforms/index.ts';
import type {
  LinePathText,
  PlatformRules,
  SectionExit,
  SequenceKind,
} from '#server/platforms/record/platform-rules.ts';
import { NEWLINE, SPACE } from '../../parsing/characters.ts';
import type { ParsedConfig } from '../../parsing/config-line.ts';
import type { Dialect } from '../../parsing/dialect.ts';
import { type LinePath, linePath, matchedWords } from '../line-path.ts';

/** Words of a line and of those above it, outermost first. */
export type Words = readonly (readonly string[])[];

/** Line paths, indexed by the first word of the lines that they match. */
type Finder<Value> = {
  byWord: ReadonlyMap<string, readonly [LinePath, Value][]>;
  /** Depths at which lines of that first word may match, one bit each. */
  depths: ReadonlyMap<string, number>;
  /** Whether one of those words begins with a character, by its code: this rules out most lines. */
  begins: readonly boolean[];
  others: readonly [LinePath, Value][];
};

/** The compiled rules of a platform. */
export type CompiledPlatform = {
  rules: PlatformRules & Required<Pick<PlatformRules, 'form' | 'removes' | 'commits'>>;
  dialect: Dialect;
  /** Prefix of a command that sets something; empty where there is none. */
  declaration: string;
  replaces: Finder<null>;
  adds: Finder<null>;
  replacesNegated: Finder<null>;
  negates: Finder<string>;
  weights: Finder<number>;
  overwrites: Finder<null>;
  recreates: Finder<null>;
  duplicates: Finder<null>;
  emptied: Finder<null>;
  ignores: Finder<null>;
  numbers: Finder<null>;
  exits: Finder<SectionExit>;
  /** Lines that only leave a section: they set nothing. */
  leaving: ReadonlySet<string>;
  sequences: Finder<SequenceKind>;
};

const RECORDS = new Map(PLATFORMS.map((record) => [record.name, record]));
const NONE: PlatformRules = {};
const COMPILED = new WeakMap<Dialect, Map<PlatformRules, CompiledPlatform>>();

/**
 * Returns the rules of a dialect's platform, compiled once. For a platform with two command lines, the format of the
 * configuration decides which one's rules apply.
 */
export function compiledPlatform(dialect: Dialect, { braces, lines }: ParsedConfig): CompiledPlatform {
  const { commands = NONE, bracedCommands, flatCommands } = RECORDS.get(dialect.name) ?? {};
  if (bracedCommands && braces) return compiled(bracedCommands, dialect);
  const isFlat = flatCommands && lines.some(({ text }) => text.startsWith('/configure '));
  return compiled(isFlat ? flatCommands : commands, dialect);
}

function compiled(commands: PlatformRules, dialect: Dialect): CompiledPlatform {
  const known = COMPILED.get(dialect)?.get(commands);
  if (known) return known;
  const { exits = [], exit, sequences = [], negates = [], weights = [] } = commands;
  const rules = { form: 'lines' as const, removes: true, commits: false, ...commands };
  const alone = (paths: readonly LinePathText[] = []) => finder(paths.map((path) => [path, null] as const));
  const platform: CompiledPlatform = {
    rules,
    dialect,
    declaration: rules.form === 'paths' ? 'set ' : '',
    replaces: alone(rules.replaces),
    adds: alone(rules.adds),
    replacesNegated: alone(rules.replacesNegated),
    negates: finder(negates),
    weights: finder(weights),
    overwrites: alone(rules.overwrites),
    recreates: alone(rules.recreates),
    duplicates: alone(rules.duplicates),
    emptied: alone(rules.emptied),
    ignores: alone(rules.ignores),
    numbers: alone(rules.numbers),
    exits: finder(exits.map((one) => [one.at, one] as const)),
    leaving: new Set([...exits, ...(exit ? [exit] : [])].map(({ text }) => text)),
    sequences: finder(sequences.map((sequence) => [sequence.at, sequence] as const)),
  };
  COMPILED.set(dialect, (COMPILED.get(dialect) ?? new Map()).set(commands, platform));
  return platform;
}

function finder<Value>(entries: readonly (readonly [LinePathText, Value])[]): Finder<Value> {
  const byWord = new Map<string, [LinePath, Value][]>();
  const depths = new Map<string, number>();
  const others: [LinePath, Value][] = [];
  for (const [text, value] of entries) {
    const path = linePath(text);
    const first = path.steps.at(-1)?.words[0] ?? [];
    if (first.some((word) => word === '*' || word === '#')) {
      others.push([path, value]);
      continue;
    }
    for (const word of first) {
      byWord.set(word, [...(byWord.get(word) ?? []), [path, value]]);
      depths.set(word, (depths.get(word) ?? 0) | (path.anywhere ? -1 : depthBit(path.steps.length)));
    }
  }
  const begins = Array.from({ length: 128 }, () => false);
  for (const word of byWord.keys()) begins[word.charCodeAt(0)] = true;
  return { byWord, depths, begins, others };
}

/** Returns the bit of a depth; the deepest lines, from the 31st level on, share one. */
const depthBit = (depth: number): number => 1 << Math.min(depth, 31);

/**
 * Returns whether a finder may have an entry for a line; the first word rules out most lines.
 *
 * @param depth of the line, 1 at the top
 */
export function mayHaveEntry<Value>(
  { depths, begins, others }: Finder<Value>,
  text: string,
  depth: number,
): boolean {
  if (others.length > 0) return true;
  if (!begins[text.charCodeAt(0)]) return false;
  return ((depths.get(firstWord(text)) ?? 0) & depthBit(depth)) !== 0;
}

function firstWord(text: string): string {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === SPACE || code === NEWLINE) return text.slice(0, at);
  }
  return text;
}

/** Returns the first entry of a finder that matches a line, and how many of the line's words it names. */
export function found<Value>(
  { byWord, others }: Finder<Value>,
  words: Words,
): { value: Value; matched: number } | undefined {
  const near = byWord.get(words.at(-1)?.[0] ?? '');
  for (const entries of [near, others]) {
    for (const [path, value] of entries ?? []) {
      const matched = matchedWords(path, words);
      if (matched !== -1) return { value, matched };
    }
  }
  return undefined;
}
