import type { Line, Word } from '#db/schemas/golden-config/config-spec.ts';
import type { RuleFault } from './compile-error.ts';
import type { Shadowed } from './program.ts';
import { shownWords, wordsKey } from './words.ts';

/** The rules of one spec. */
export type SpecLines = {
  id: string;
  lines: readonly Line[];
  /** Names of the variables that the lines were derived with. */
  reads?: Iterable<string> | undefined;
};

/** A rule being folded: `line` is the one that holds; the variables in `words` are replaced by their values. */
export type FoldedLine = { line: Line; words: Word[]; spec: number; below: Map<string, FoldedLine> };

type PlacedLine = { line: Line; into: Map<string, FoldedLine>; path: readonly string[] };

/**
 * Merges the rules of several specs, the root's first, into one tree (contract/engines#inheritance). Rules for the same
 * line under the same parents are one: the last spec's mode, severity and ordering hold. Identical lines under one parent
 * of one spec are one rule as well (contract/decisions#rules-counted).
 */
export function fold(
  specs: readonly SpecLines[],
  variables: Readonly<Record<string, unknown>>,
): { root: Map<string, FoldedLine>; shadowed: Shadowed[]; reads: Set<string>; faults: RuleFault[] } {
  const root = new Map<string, FoldedLine>();
  const shadowed: Shadowed[] = [];
  const reads = new Set<string>();
  const faults: RuleFault[] = [];
  for (const [spec, { id, lines, reads: derivedWith }] of specs.entries()) {
    for (const name of derivedWith ?? []) reads.add(name);
    const open: PlacedLine[] = lines.toReversed().map((line) => ({ line, into: root, path: [] }));
    for (let next = open.pop(); next; next = open.pop()) {
      const { line, into } = next;
      const { words, missing } = resolved(line.words, variables, reads);
      for (const name of missing) {
        faults.push({ specId: id, lineId: line.id ?? '', message: `${name} is undefined`, variable: name });
      }
      const path = [...next.path, shownWords(words)];
      const key = wordsKey(words);
      const before = into.get(key);
      if (before && before.spec !== spec && differs(before.line, line)) {
        shadowed.push({ path, specId: id, shadowedSpecId: specs[before.spec]?.id ?? '' });
      }
      const folded: FoldedLine = { line, words, spec, below: before?.below ?? new Map() };
      into.set(key, folded);
      for (const child of (line.lines ?? []).toReversed())
        open.push({ line: child, into: folded.below, path });
    }
  }
  return { root, shadowed, reads, faults };
}

const differs = (one: Line, other: Line): boolean =>
  (one.evalMode ?? 'required') !== (other.evalMode ?? 'required') ||
  (one.severity ?? 'warning') !== (other.severity ?? 'warning') ||
  (one.ordering ?? 'none') !== (other.ordering ?? 'none');

/** Replaces variables in words by their values. */
function resolved(words: readonly Word[], variables: Readonly<Record<string, unknown>>, reads: Set<string>) {
  const missing: string[] = [];
  const values = words.map((word): Word => {
    if (word.type !== 'variable') return word;
    const [name = ''] = word.value.split('.');
    reads.add(name);
    const found = valueAt(word.value, variables);
    if (!found) missing.push(word.value);
    return found ?? word;
  });
  return { words: values, missing };
}

function valueAt(path: string, variables: Readonly<Record<string, unknown>>): Word | null {
  let value: unknown = variables;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
    value = (value as Record<string, unknown>)[name];
  }
  if (typeof value === 'string') return { type: 'literal', value };
  if (typeof value === 'number' || typeof value === 'boolean')
    return { type: 'literal', value: String(value) };
  return typedValue(value);
}

/** Returns the word for a value that states its own type, text or expression (contract/lifecycle#report-variables). */
function typedValue(value: unknown): Word | null {
  if (typeof value !== 'object' || value === null) return null;
  const { type, value: inner } = value as { type?: unknown; value?: unknown };
  if ((type !== 'literal' && type !== 'regex') || typeof inner !== 'string') return null;
  return { type, value: inner };
}
