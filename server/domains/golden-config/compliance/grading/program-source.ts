import type { LexRule } from '#db/schemas/golden-config/config-parser.ts';
import type { Line } from '#db/schemas/golden-config/config-spec.ts';

/** The stored rules of one node. */
export type SpecSource = {
  id: string;
  nodePath: string;
  /** Name of the config parser whose section of the spec this is; absent: the rules for the platform of the tree. */
  section?: string | undefined;
  template: string;
  lines: readonly Line[];
  /** Settings for the fields of a JSON template. */
  ruleSet?: unknown;
};

/** Everything that rules are compiled from: plain data, so that it can be sent to a thread. */
export type ProgramSource = {
  /** 64 hexadecimal characters; two sources of the same hash yield the same verdicts. */
  sha256: string;
  /** The root's first. */
  specs: readonly SpecSource[];
  parser: { template: string; lexRules?: readonly LexRule[] | undefined };
  /** Only those that the rules read. */
  variables: Readonly<Record<string, unknown>>;
};

/** A configuration, and the hashes of the programs to check it with. */
export type CheckTask = { text: string; programs: readonly string[] };

/** Returns the names of the variables among the words of lines, up to the first dot. */
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
 * Returns whether a spec's rules come from its template; without one its lines are used (contract/decisions#tree-import).
 */
export const isDerived = ({ template }: Pick<SpecSource, 'template'>): boolean => template.trim() !== '';
