import type { ReportHeader } from '#db/schemas/golden-config/compliance-report.ts';
import type { CheckResult } from '../grading/check.ts';
import type { ProgramSource } from '../grading/program-source.ts';
import type { TreeNodeTarget } from '../runs/run-targets.ts';
import type { NewReport, ReportFindings } from './new-report.ts';

/** The device, tree node and rules of a report; fields that are unknown without rules are missing. */
export type Subject = {
  id: string;
  batchId: string | null;
  place: TreeNodeTarget;
  device: string;
  timestamp: Date;
  rules?: { deviceType: string; specId: string | null; inheritedSpecIds: readonly string[] } | undefined;
  program?: ProgramSource | undefined;
  /** The backup whose text is checked. */
  backup?: { id: string; sha256: string } | undefined;
  /** Whether the request named the backup: otherwise it represents the device itself. */
  named?: boolean | undefined;
};

/** An earlier report with the same text and rules. */
export type PreviousReport = Pick<NewReport, 'totals' | 'evaluated' | 'parseWarnings'> & { finding: string };

const NOTHING = { errors: 0, warnings: 0, infos: 0, passes: 0 };

/** Returns the report for the result of a check. */
export function reportOf(subject: Subject, checked: CheckResult): NewReport {
  if (checked.status === 'error') return failureOf(subject, checked.error);
  const { totals, evaluated, parseWarnings, finding } = checked;
  return complete(subject, { totals, evaluated, parseWarnings }, finding);
}

/** Returns the report of a device whose text and rules have not changed, with the earlier findings. */
export const reportAgain = (subject: Subject, { finding, ...counted }: PreviousReport): NewReport =>
  complete(subject, counted, { sha256: finding });

/** Returns the report of a device that cannot be checked, or that the node has no rules for. */
export const failureOf = (
  subject: Subject,
  error: string,
  status: 'error' | 'notApplicable' = 'error',
): NewReport => ({
  ...headOf(subject),
  status,
  error,
  parseWarnings: [],
  evaluated: 0,
  totals: NOTHING,
  findings: null,
});

const complete = (
  subject: Subject,
  counted: Pick<NewReport, 'totals' | 'evaluated' | 'parseWarnings'>,
  findings: ReportFindings,
): NewReport => ({ ...headOf(subject), ...counted, status: 'complete', findings });

function headOf({ place, device, rules, program, backup, ...rest }: Subject) {
  return {
    id: rest.id,
    batchId: rest.batchId,
    treeId: place.treeId,
    version: place.version,
    nodePath: place.nodePath,
    deviceName: device,
    deviceType: rules?.deviceType ?? '',
    timestamp: rest.timestamp,
    specId: rules?.specId ?? null,
    inheritedSpecIds: rules?.inheritedSpecIds ?? [],
    variables: shownVariables(program?.variables ?? {}),
    backupId: (rest.named && backup?.id) || null,
    configSha: backup?.sha256 ?? null,
    programSha: program?.sha256 ?? null,
  };
}

/** Returns variables as a report shows them: a value may declare itself a regular expression (contract/lifecycle#4.8). */
function shownVariables(variables: Readonly<Record<string, unknown>>): ReportHeader['variables'] {
  return Object.entries(variables).map(([name, value]) => {
    const { type, value: inner } = (value ?? {}) as { type?: unknown; value?: unknown };
    return (type === 'regex' || type === 'literal') && typeof inner === 'string'
      ? { name, type, value: inner }
      : { name, type: 'literal', value };
  });
}
