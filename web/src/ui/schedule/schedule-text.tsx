import { cronText } from './cron-text.ts';
import { type Schedule, scheduleText } from './schedule-draft.ts';

/** A schedule in words; a cron expression that has a description is beside it. */
export function ScheduleText({ schedule }: { schedule: Schedule | null | undefined }) {
  const cron = schedule?.cron;
  return (
    <>
      {scheduleText(schedule)}
      {cron !== undefined && cronText(cron) !== undefined && (
        <>
          {' '}
          <code className="muted">{cron}</code>
        </>
      )}
    </>
  );
}
