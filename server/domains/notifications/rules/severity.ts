import type { Severity } from '#db/schemas/notifications/rule.ts';

/** The urgency of each event; others are for information. */
const BY_TOPIC: Readonly<Record<string, Severity>> = {
  adapterDown: 'error',
  complianceBatchStopped: 'error',
  jobErrored: 'error',
  taskErrored: 'error',
  triggerRefused: 'error',
  jobCanceled: 'warning',
  jobPaused: 'warning',
  missedJobs: 'warning',
  taskWaiting: 'warning',
};

/** The ends of runs and campaigns, whose urgency depends on how they ended. */
const ENDS: ReadonlySet<string> = new Set([
  'backupRunFinished',
  'campaignFinished',
  'gitRunFinished',
  'inventoryRunFinished',
  'retentionRunFinished',
]);

/** Returns how urgent the end of a run is: it failed or stopped, something of it failed or it was canceled, or neither. */
function severityOfEnd({
  status,
  failed,
  conflicts,
  issues,
  devices,
}: Readonly<Record<string, unknown>>): Severity {
  if (status === 'error' || status === 'stopped') return 'error';
  const counts = (devices ?? {}) as { failed?: unknown; rolledBack?: unknown };
  const failures = [failed, conflicts, issues, counts.failed, counts.rolledBack];
  const hasFailures = failures.some((count) => Number(count) > 0);
  return hasFailures || status === 'canceled' ? 'warning' : 'info';
}

/**
 * Returns how urgent an event is: by its topic, and for a run by what it found or how it ended.
 *
 * @param topic name of the event
 * @param payload payload of the event
 */
export function severityOf(topic: string, payload: Readonly<Record<string, unknown>>): Severity {
  if (ENDS.has(topic)) return severityOfEnd(payload);
  if (topic !== 'complianceBatchFinished') return BY_TOPIC[topic] ?? 'info';
  const { errors, warnings } = (payload.totals ?? {}) as { errors?: unknown; warnings?: unknown };
  if (Number(errors) > 0) return 'error';
  return Number(warnings) > 0 ? 'warning' : 'info';
}
