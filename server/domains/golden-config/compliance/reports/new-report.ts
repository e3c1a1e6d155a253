import type { ReportHeader } from '#db/schemas/golden-config/compliance-report.ts';
import type { SeverityCounts } from '../../rules/score.ts';
import type { StoredFinding } from './finding.service.ts';

/** What was found on a device. Whoever finds the same again, by the hashes of text and rules, names it by its hash. */
export type ReportFindings = StoredFinding | { sha256: string };

/** A report to be stored (contract/lifecycle#4.8). */
export type NewReport = {
  /** 24 hexadecimal characters. */
  id: string;
  /** Null for a report on its own. */
  batchId: string | null;
  treeId: string;
  version: string;
  /** Names from the root down, joined by slashes. */
  nodePath: string;
  deviceName: string;
  deviceType: string;
  /** When the device was checked; a report of a batch gets the start of the batch instead. */
  timestamp: Date;
  status: 'complete' | 'error';
  /** Why the device could not be checked. */
  error?: string | undefined;
  /** The node's own spec; null when it has none. */
  specId: string | null;
  /** Specs of the nodes above, the root's first. */
  inheritedSpecIds: readonly string[];
  variables: ReportHeader['variables'];
  parseWarnings: ReportHeader['parseWarnings'];
  /** Rules that were decided. */
  evaluated: number;
  totals: SeverityCounts;
  /** Null with status `error`. */
  findings: ReportFindings | null;
  /** The backup that was checked, when it was not the device itself. */
  backupId: string | null;
  /** SHA-256 of the configuration's text and of the compiled rules: a run that meets both again need not evaluate. */
  configSha: string | null;
  programSha: string | null;
};

const PLACE = ['batchId', 'treeId', 'version', 'nodePath', 'deviceName', 'id'] as const;

/**
 * Reports in the one order in which everybody stores them, so that two who store the same wait for each other rather
 * than deadlock.
 */
export const inStoringOrder = (reports: readonly NewReport[]): NewReport[] =>
  reports.toSorted((a, b) => {
    const differs = PLACE.find((name) => a[name] !== b[name]);
    if (!differs) return 0;
    return (a[differs] ?? '') < (b[differs] ?? '') ? -1 : 1;
  });
