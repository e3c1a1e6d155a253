import type { ReportHeader } from '#db/schemas/golden-config/compliance-report.ts';
import type { SeverityCounts } from '../../rules/score.ts';
import type { StoredFinding } from './finding.service.ts';

/** The findings on a device, or the hash of stored findings when texts and rules have the same hashes as before. */
export type ReportFindings = StoredFinding | { sha256: string };

/** A report to store (contract/lifecycle#4.8). */
export type NewReport = {
  /** 24 hexadecimal characters. */
  id: string;
  /** Null for a report that belongs to no batch. */
  batchId: string | null;
  treeId: string;
  version: string;
  /** Names from the root down, joined by slashes. */
  nodePath: string;
  deviceName: string;
  deviceType: string;
  /** The time of the check; a report of a batch is stored with the start of the batch instead. */
  timestamp: Date;
  /** `notApplicable`: the node has no rules for the platform of the device. */
  status: 'complete' | 'error' | 'notApplicable';
  /** The reason why the device could not be checked. */
  error?: string | undefined;
  /** The node's own spec; null when it has none. */
  specId: string | null;
  /** Specs of the nodes above, the root's first. */
  inheritedSpecIds: readonly string[];
  variables: ReportHeader['variables'];
  parseWarnings: ReportHeader['parseWarnings'];
  /** Number of evaluated rules. */
  evaluated: number;
  totals: SeverityCounts;
  /** Null unless the status is `complete`. */
  findings: ReportFindings | null;
  /** The backup that was checked, unless the report is about the device itself. */
  backupId: string | null;
  /**
   * SHA-256 of the configuration's text and of the compiled rules: a run that finds both unchanged does not evaluate again.
   */
  configSha: string | null;
  programSha: string | null;
};

const PLACE = ['batchId', 'treeId', 'version', 'nodePath', 'deviceName', 'id'] as const;

/**
 * Returns reports in the order in which every caller stores them, so that two callers that store the same reports wait for
 * each other instead of deadlocking.
 */
export const inStoringOrder = (reports: readonly NewReport[]): NewReport[] =>
  reports.toSorted((a, b) => {
    const differs = PLACE.find((name) => a[name] !== b[name]);
    if (!differs) return 0;
    return (a[differs] ?? '') < (b[differs] ?? '') ? -1 : 1;
  });
