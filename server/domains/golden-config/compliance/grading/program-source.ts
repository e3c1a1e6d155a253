import type { LexRule } from '#db/schemas/golden-config/config-parser.ts';
import type { Line } from '#db/schemas/golden-config/config-spec.ts';

/** The rules of one node, as they are stored. */
export type SpecSource = {
  id: string;
  nodePath: string;
  template: string;
  lines: readonly Line[];
  /** What is said of the members of a JSON template. */
  ruleSet?: unknown;
};

/** All that rules are compiled from: plain data, so that a thread can be given it. */
export type ProgramSource = {
  /** 64 hexadecimal characters; two sources of the same hash give the same verdicts. */
  sha256: string;
  /** The root's first. */
  specs: readonly SpecSource[];
  parser: { template: string; lexRules?: readonly LexRule[] | undefined };
  /** Those that the rules read, no others. */
  variables: Readonly<Record<string, unknown>>;
};

/** A configuration, and the hashes of the programs that it is held against. */
export type CheckTask = { text: string; programs: readonly string[] };

/** Names of the variables that lines hold as words, without what is behind the first dot. */
export function variablesIn(lines: readonly Line[]): Set<string> {
  const names = new Set<string>();
  const open = [...lines];
  for (let line = open.pop(); line; line = open.pop()) {
    for (const { type, value } of line.words)
      if (type === 'variable') names.add(value.split('.', 1)[0] ?? '');
    open.push(...(line.lines ?? []));
  }
  return names;
}

/**
 * Whether a spec's rules follow from its template; without one its lines are all there is (contract/decisions#tree-import).
 */
export const isDerived = ({ template }: Pick<SpecSource, 'template'>): boolean => template.trim() !== '';
