import { newId } from '#db/ids.ts';
import { findingOf } from '#server/domains/golden-config/compliance/reports/finding.service.ts';
import type { NewReport } from '#server/domains/golden-config/compliance/reports/new-report.ts';

type Fleet = {
  treeId: string;
  batchId: string;
  started: Date;
  /** The number of the run, and of the device: both decide what is found. */
  run: number;
  n: number;
  nodePath: string;
  deviceName: string;
};

/** Returns a report as runs of a fleet store them: most devices are alike, some have drift, a few differ. */
export function fleetReport({ treeId, batchId, started, run, n, nodePath, deviceName }: Fleet): NewReport {
  const errors = n % 17 === 0 ? 1 + (n % 5) : 0;
  const warnings = (n + run) % 7 === 0 ? 1 + (n % 3) : 0;
  const counted = { errors, warnings, infos: n % 11 === 0 ? 1 : 0, passes: 40 };
  const issues = Array.from({ length: errors + warnings }, (_, i) => ({
    severity: i < errors ? ('error' as const) : ('warning' as const),
    type: 'required' as const,
    message: `required line is missing: rule ${i} of kind ${n % 25}`,
    spec: { words: [{ type: 'literal' as const, value: `rule ${i}` }] },
    specId: treeId,
    parents: [],
  }));
  return {
    id: newId(started.getTime()),
    batchId,
    treeId,
    version: 'initial',
    nodePath,
    deviceName,
    deviceType: 'cisco-ios',
    timestamp: started,
    status: 'complete',
    specId: treeId,
    inheritedSpecIds: [treeId],
    variables: [],
    parseWarnings: [],
    evaluated: 40,
    totals: counted,
    findings: findingOf(issues, [{ specId: treeId, nodePath: 'base', ...counted }]),
    backupId: null,
    configSha: null,
    programSha: null,
  };
}
