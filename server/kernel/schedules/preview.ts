import type { Schedule } from '#db/schemas/schedule.ts';
import { invalidRequest } from '#server/kernel/errors.ts';
import { nextMoments } from './next-moments.ts';
import { scheduleIssues } from './schedule-issues.ts';

/** Number of moments that a preview returns by default. */
const USUAL = 10;

type PreviewRequest = { schedule: Schedule; from?: string | undefined; count?: number | undefined };

/**
 * Returns when a schedule starts next.
 *
 * @throws ServiceError BAD_REQUEST with all issues of the schedule
 */
export function previewSchedule(
  { platform }: { platform: { now: () => Date } },
  { schedule, from, count = USUAL }: PreviewRequest,
): { moments: string[] } {
  const start = from === undefined ? platform.now().getTime() : Date.parse(from);
  const issues = scheduleIssues(schedule, ['schedule'], start);
  if (issues.length > 0) throw invalidRequest(issues);
  return { moments: nextMoments(schedule, start, count).map((moment) => new Date(moment).toISOString()) };
}
