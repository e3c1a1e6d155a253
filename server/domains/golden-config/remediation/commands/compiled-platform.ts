import type { ParsedConfig } from '../../parsing/config-line.ts';
import type { Dialect } from '../../parsing/dialect.ts';
import { type LinePath, type LinePathText, linePath, matchedWords } from '../line-path.ts';
import { CISCO_LIKE, EOS, IOS, IOS_XR, NX_OS } from './cisco.ts';
import {
  ADDING_ONLY,
  COMWARE,
  EXITING,
  FORTIOS,
  MODEL_DRIVEN,
  MODEL_DRIVEN_FLAT,
  PATHS,
  PROCURVE,
  ROUTER_OS,
  SHOWING_ONLY,
  VRP,
} from './other-platforms.ts';
import { type CommandKnowledge, PLAIN } from './platform-rules.ts';

/** Every kind of device that more is known of. */
export const KNOWLEDGE: readonly CommandKnowledge[] = [
  IOS,
  IOS_XR,
  NX_OS,
  EOS,
  CISCO_LIKE,
  PROCURVE,
  COMWARE,
  VRP,
  FORTIOS,
  PATHS,
  EXITING,
  ROUTER_OS,
  ADDING_ONLY,
  SHOWING_ONLY,
];

/** Words of a line and of those above it, from the outermost on. */
export type Words = readonly (readonly string[])[];

/** Line paths that are found by the first word of the line that they tell of. */
type Finder<Value> = {
  byWord: ReadonlyMap<string, readonly [LinePath, Value][]>;
  /** At which depths lines of that first word are told of, a bit each. */
  depths: ReadonlyMap<string, number>;
  /** Which characters those words begin with, by their code: most lines are told apart by it. */
  begins: readonly boolean[];
  others: readonly [LinePath, Value][];
};

/** What is known of a kind of device, ready for use. */
export type Manner = {
  knowledge: CommandKnowledge;
  dialect: Dialect;
  /** What stands before a command that sets something; empty where nothing does. */
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
  exits: Finder<CommandKnowledge['exits'][number]>;
  /** Lines that only leave a section: they set nothing. */
  leaving: ReadonlySet<string>;
  sequences: Finder<CommandKnowledge['sequences'][number]>;
};

const MANNERS = new WeakMap<CommandKnowledge, Map<Dialect, Manner>>();

/**
 * What is known of a dialect's commands, made ready once. A device of which the dialect has two command lines takes commands of
 * the one that its configuration is written in.
 */
export function mannerOf(dialect: Dialect, { braces, lines }: ParsedConfig): Manner {
  if (!dialect.orBraces) return readyManner(knownOf(dialect), dialect);
  if (braces) return readyManner(MODEL_DRIVEN, dialect);
  const isFlat = lines.some(({ text }) => text.startsWith('/configure '));
  return readyManner(isFlat ? MODEL_DRIVEN_FLAT : knownOf(dialect), dialect);
}

const UNKNOWN = { ...PLAIN, dialects: [] };

const knownOf = ({ name }: Dialect): CommandKnowledge =>
  KNOWLEDGE.find(({ dialects }) => dialects.includes(name)) ?? UNKNOWN;

function readyManner(knowledge: CommandKnowledge, dialect: Dialect): Manner {
  const known = MANNERS.get(knowledge)?.get(dialect);
  if (known) return known;
  const alone = (paths: readonly LinePathText[]) => finder(paths.map((path) => [path, null] as const));
  const manner: Manner = {
    knowledge,
    dialect,
    declaration: knowledge.form === 'paths' ? 'set ' : '',
    replaces: alone(knowledge.replaces),
    adds: alone(knowledge.adds),
    replacesNegated: alone(knowledge.replacesNegated),
    negates: finder(knowledge.negates),
    weights: finder(knowledge.weights),
    overwrites: alone(knowledge.overwrites),
    recreates: alone(knowledge.recreates),
    duplicates: alone(knowledge.duplicates),
    emptied: alone(knowledge.emptied),
    ignores: alone(knowledge.ignores),
    numbers: alone(knowledge.numbers),
    exits: finder(knowledge.exits.map((exit) => [exit.at, exit] as const)),
    leaving: new Set(
      [...knowledge.exits, ...(knowledge.exit ? [knowledge.exit] : [])].map(({ text }) => text),
    ),
    sequences: finder(knowledge.sequences.map((sequence) => [sequence.at, sequence] as const)),
  };
  MANNERS.set(knowledge, (MANNERS.get(knowledge) ?? new Map<Dialect, Manner>()).set(dialect, manner));
  return manner;
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

/** The deepest lines, from the 31st on, share a bit. */
const depthBit = (depth: number): number => 1 << Math.min(depth, 31);

/**
 * Whether a finder may know something of a line that begins so: most are told apart by their first word.
 *
 * @param depth of the line, 1 at the top
 */
export function mayTell<Value>(
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
    if (code === 32 || code === 10) return text.slice(0, at);
  }
  return text;
}

/** What a finder knows of a line: the first entry that tells of it, and how many of its words that tells. */
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
