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

/** Returns how urgent an event is: by its topic, and for a compliance run by what it found. */
export function severityOf(topic: string, payload: Readonly<Record<string, unknown>>): Severity {
  if (topic !== 'complianceBatchFinished') return BY_TOPIC[topic] ?? 'info';
  const { errors, warnings } = (payload.totals ?? {}) as { errors?: unknown; warnings?: unknown };
  if (Number(errors) > 0) return 'error';
  return Number(warnings) > 0 ? 'warning' : 'info';
}
