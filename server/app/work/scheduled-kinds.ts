import { scheduledGitRuns } from '#server/domains/git/runs/scheduled-runs.service.ts';
import { scheduledBackups } from '#server/domains/golden-config/fleet/backup-schedules.service.ts';
import { scheduledSyncs } from '#server/domains/network/sources/runs.service.ts';
import type { WorkPlatform } from '#server/kernel/platform.ts';
import type { ScheduledKind } from '#server/kernel/schedules/scheduler.ts';

/** Returns every kind of scheduled work besides triggers (docs/schedules.md). */
export const scheduledKinds = (platform: WorkPlatform): ScheduledKind[] => [
  scheduledBackups(platform),
  scheduledGitRuns(platform),
  scheduledSyncs(platform),
];
