import { Link } from '@tanstack/react-router';
import type { Outputs } from '~/api/client.ts';
import { jobPath } from '~/app/paths.ts';
import { Badge } from '~/ui/badge.tsx';
import { ScheduleText } from '~/ui/schedule/schedule-text.tsx';
import { Time } from '~/ui/time.tsx';

export type Trigger = Outputs['operationsManager']['listTriggers']['data'][number];

const TYPES: Record<Trigger['type'], string> = {
  manual: 'Manual',
  endpoint: 'Endpoint',
  eventSystem: 'Event',
  schedule: 'Schedule',
};

export const triggerType = ({ type }: Trigger): string => TYPES[type];

/** What starts a trigger: its route, its event, its schedule or its interval. */
export const StartedBy = ({ trigger }: { trigger: Trigger }) =>
  trigger.type === 'schedule' && trigger.schedule ? (
    <ScheduleText schedule={trigger.schedule} />
  ) : (
    startOf(trigger)
  );

function startOf(trigger: Trigger): string {
  if (trigger.type === 'endpoint') return `POST /operations-manager/triggers/endpoint/${trigger.routeName}`;
  if (trigger.type === 'eventSystem') return `${trigger.source} ${trigger.topic}`;
  if (trigger.type === 'manual') return trigger.formId ? `A user, with the form ${trigger.formId}` : 'A user';
  const { repeatUnit, repeatFrequency, repeatInterval } = trigger;
  if (repeatUnit) {
    const count = repeatFrequency ?? 1;
    return count === 1 ? `Every ${repeatUnit}` : `Every ${count} ${repeatUnit}s`;
  }
  return repeatInterval ? `Every ${Math.round(repeatInterval / 1000)} s` : 'Once';
}

/** How the runs that a schedule missed are handled. */
export function missedRuns(trigger: Trigger): string | undefined {
  if (trigger.type !== 'schedule') return undefined;
  const { processMissedRuns = 'none' } = trigger;
  if (processMissedRuns === 'all') return 'all are run';
  return processMissedRuns === 'last' ? 'the last one is run' : 'skipped';
}

export const NextRun = ({ trigger }: { trigger: Trigger }) =>
  trigger.type === 'schedule' ? <Time value={trigger.nextRunAt} /> : <span className="muted">–</span>;

/** How the last start by the clock or an event went; a refusal says why. */
export function LastResult({ trigger: { lastResult, lastExecuted } }: { trigger: Trigger }) {
  if (!lastResult) return lastExecuted ? <Time value={lastExecuted} /> : <span className="muted">never</span>;
  const { started, message, at, jobId } = lastResult;
  return (
    <>
      <Badge tone={started ? 'good' : 'bad'}>{started ? 'started' : 'refused'}</Badge> <Time value={at} />{' '}
      {jobId && <Link {...jobPath(jobId)}>job</Link>} {message && message}
    </>
  );
}

export const Enabled = ({ trigger: { enabled } }: { trigger: Trigger }) => (
  <Badge tone={enabled === false ? 'neutral' : 'good'}>{enabled === false ? 'disabled' : 'enabled'}</Badge>
);
