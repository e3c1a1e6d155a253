import { newId } from '#db/ids.ts';
import type { ComplianceIssue } from '#db/schemas/golden-config/compliance-report.ts';
import { findingOf } from '#server/domains/golden-config/compliance/reports/finding.service.ts';
import type { NewReport } from '#server/domains/golden-config/compliance/reports/new-report.ts';

/** Totals as errors, warnings, infos, passes. */
export type Four = readonly [errors: number, warnings: number, infos: number, passes: number];

const SPEC = '65c000000000000000000001';

/** An issue of an invented rule. */
export const issue = (message: string, more: Partial<ComplianceIssue> = {}): ComplianceIssue => ({
  severity: 'error',
  type: 'required',
  message,
  spec: { id: '65f0c1d2e3a4b5c6', words: [{ type: 'literal', value: message }], evalMode: 'required' },
  specId: SPEC,
  parents: [],
  ...more,
});

/** A complete report to be stored: of device `edge-1` at `base`, unless said otherwise. */
export function newReport({
  totals = [0, 0, 0, 10],
  ...given
}: Partial<Omit<NewReport, 'totals'>> & { totals?: Four } = {}): NewReport {
  const [errors, warnings, infos, passes] = totals;
  const counted = { errors, warnings, infos, passes };
  return {
    id: newId(),
    batchId: null,
    treeId: SPEC,
    version: 'initial',
    nodePath: 'base',
    deviceName: 'edge-1',
    deviceType: 'cisco-ios',
    timestamp: new Date(),
    status: 'complete',
    specId: SPEC,
    inheritedSpecIds: [],
    variables: [],
    parseWarnings: [],
    evaluated: errors + warnings + infos + passes,
    totals: counted,
    findings: findingOf(
      Array.from({ length: errors }, (_, n) => issue(`rule ${n}`)),
      [{ specId: SPEC, nodePath: 'base', ...counted }],
    ),
    backupId: null,
    configSha: null,
    programSha: null,
    ...given,
  };
}

/** A report of a device that could not be checked. */
export const failedReport = (given: Parameters<typeof newReport>[0] = {}): NewReport =>
  newReport({ status: 'error', error: 'no configuration', totals: [0, 0, 0, 0], findings: null, ...given });
