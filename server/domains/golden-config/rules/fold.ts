import type { Line, Word } from '#db/schemas/golden-config/config-spec.ts';
import type { RuleFault } from './compile-error.ts';
import { wordsKey } from './words.ts';

/** The rules of one spec. */
export type SpecLines = { id: string; lines: readonly Line[] };

/** A rule being folded: `line` is the one that holds; the variables in `words` are replaced by their values. */
export type FoldedLine = { line: Line; words: Word[]; spec: number; below: Map<string, FoldedLine> };

type PlacedLine = { line: Line; into: Map<string, FoldedLine> };

/**
 * Merges the rules of several specs, the root's first, into one tree (contract/engines#inheritance). Rules for the same
 * line under the same parents are one: the last spec's mode, severity and ordering hold. Identical lines under one parent
 * of one spec are one rule as well (contract/decisions#rules-counted).
 */
export function fold(
  specs: readonly SpecLines[],
  variables: Readonly<Record<string, unknown>>,
): { root: Map<string, FoldedLine>; faults: RuleFault[] } {
  const root = new Map<string, FoldedLine>();
  const faults: RuleFault[] = [];
  for (const [spec, { id, lines }] of specs.entries()) {
    const open: PlacedLine[] = lines.toReversed().map((line) => ({ line, into: root }));
    for (let next = open.pop(); next; next = open.pop()) {
      const { line, into } = next;
      const { words, missing } = resolved(line.words, variables);
      for (const name of missing) {
        faults.push({ specId: id, lineId: line.id ?? '', message: `${name} is undefined`, variable: name });
      }
      const before = into.get(wordsKey(words));
      const folded: FoldedLine = { line, words, spec, below: before?.below ?? new Map() };
      into.set(wordsKey(words), folded);
      for (const child of (line.lines ?? []).toReversed()) open.push({ line: child, into: folded.below });
    }
  }
  return { root, faults };
}

/** Replaces variables in words by their values. */
function resolved(words: readonly Word[], variables: Readonly<Record<string, unknown>>) {
  const missing: string[] = [];
  const values = words.map((word): Word => {
    if (word.type !== 'variable') return word;
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
