import type { Line } from '#db/schemas/golden-config/config-spec.ts';
import type { Severity } from '../../rules/program.ts';

/** A rule of a spec: its line, and the lines above it. */
export type RuleLine = { key: string; rule: string; parents: string[]; severity: Severity };

/** Returns the key of a rule in `compliance_finding.rules`: the ids of its spec and of its line. */
export const keyOfRule = (specId: string, lineId: string | undefined): string => `${specId} ${lineId ?? ''}`;

/** Returns a line as it is shown: expressions between slashes. */
export const shownLine = ({ words }: Pick<Line, 'words'>): string =>
  words.map(({ type, value }) => (type === 'regex' ? `/${value}/` : value)).join(' ');

/** Yields the rules of a spec that a device can violate, parents before the lines below them. */
export function* rulesOf(
  specId: string,
  lines: readonly Line[],
  parents: string[] = [],
): Generator<RuleLine> {
  for (const line of lines) {
    const rule = shownLine(line);
    if (line.evalMode !== 'ignored' && line.evalMode !== 'optional') {
      const shown = line.evalMode === 'disallowed' ? `no: ${rule}` : rule;
      yield { key: keyOfRule(specId, line.id), rule: shown, parents, severity: line.severity ?? 'error' };
    }
    if (line.evalMode !== 'ignored') yield* rulesOf(specId, line.lines ?? [], [...parents, rule]);
  }
}
