import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { trpc } from '~/api/client.ts';
import { problemOf } from '~/api/problem.ts';
import { useSettled } from '~/api/use-settled.ts';
import { TextField } from '../fields.tsx';
import { SelectField } from '../inputs/select-field.tsx';
import { ProblemNote } from '../states.tsx';
import { momentText } from './day-text.ts';
import { type Schedule, type ScheduleDraft, scheduleOf, WEEKDAYS, type Which } from './schedule-draft.ts';
import { WeekdayList, WindowsField } from './windows-field.tsx';

type ScheduleFieldProps = {
  draft: ScheduleDraft;
  onChange: (change: Partial<ScheduleDraft>) => void;
  /** True: a schedule must be chosen. */
  isRequired?: boolean;
};

const KINDS: { value: ScheduleDraft['kind']; label: string }[] = [
  { value: 'none', label: 'Not scheduled' },
  { value: 'interval', label: 'At an interval' },
  { value: 'day', label: 'Each day' },
  { value: 'week', label: 'Days of the week' },
  { value: 'month', label: 'Days of the month' },
  { value: 'monthly weekday', label: 'A weekday of the month' },
  { value: 'cron', label: 'Cron expression' },
];

const WHICH: readonly Which[] = ['first', 'second', 'third', 'fourth', 'last'];

const choice = <Value extends string>(value: Value) => ({ value, label: value });

/** When something starts by itself, with its next times as the service computes them. */
export function ScheduleField({ draft, onChange, isRequired = false }: ScheduleFieldProps) {
  const { kind } = draft;
  const schedule = scheduleOf(draft);
  const isCalendar = !['none', 'interval', 'cron'].includes(kind);
  return (
    <>
      <SelectField
        label="Schedule"
        value={kind}
        onChange={(next) => onChange({ kind: next })}
        choices={isRequired ? KINDS.slice(1) : KINDS}
      />
      {kind === 'interval' && (
        <TextField
          label="Minutes between two starts"
          type="number"
          min={1}
          value={draft.minutes}
          onChange={(minutes) => onChange({ minutes })}
        />
      )}
      {kind === 'cron' && (
        <TextField
          label="Cron expression"
          hint="Minute, hour, day of month, month, day of week"
          value={draft.cron}
          onChange={(cron) => onChange({ cron })}
        />
      )}
      {kind === 'week' && (
        <WeekdayList
          label="Weekdays"
          chosen={draft.weekdays}
          onChange={(weekdays) => onChange({ weekdays })}
        />
      )}
      {kind === 'month' && (
        <TextField
          label="Days of the month"
          hint="1 to 31 and last, separated by commas"
          value={draft.days}
          onChange={(days) => onChange({ days })}
        />
      )}
      {kind === 'monthly weekday' && (
        <div className="columns narrow">
          <SelectField
            label="Which"
            value={draft.which}
            onChange={(which) => onChange({ which })}
            choices={WHICH.map(choice)}
          />
          <SelectField
            label="Weekday"
            value={draft.weekday}
            onChange={(weekday) => onChange({ weekday })}
            choices={WEEKDAYS.map(choice)}
          />
        </div>
      )}
      {isCalendar && (
        <TextField label="Time of day" type="time" value={draft.at} onChange={(at) => onChange({ at })} />
      )}
      {kind !== 'none' && (
        <>
          <TimeZoneField value={draft.timeZone} onChange={(timeZone) => onChange({ timeZone })} />
          <WindowsField
            label="Blackout periods"
            hint="Starts that are due within one are skipped."
            windows={draft.blackouts}
            onChange={(blackouts) => onChange({ blackouts })}
          />
        </>
      )}
      {schedule && <NextTimes schedule={schedule} />}
    </>
  );
}

/** A time zone by its name; empty: UTC. */
export function TimeZoneField({ value, onChange }: { value: string; onChange: (timeZone: string) => void }) {
  const zones = useMemo(() => Intl.supportedValuesOf('timeZone'), []);
  return (
    <SelectField
      label="Time zone"
      value={value}
      onChange={onChange}
      choices={[
        { value: '', label: 'UTC' },
        ...[...new Set([...(value ? [value] : []), ...zones])].map(choice),
      ]}
    />
  );
}

/** Times that are listed before a schedule is stored. */
const SHOWN = 5;

/** The next times of a schedule, in its own zone; or what is wrong with it. */
export function NextTimes({ schedule }: { schedule: Schedule }) {
  const settled = useSettled(schedule);
  const preview = useQuery(
    trpc.operationsManager.previewSchedule.queryOptions(
      { schedule: settled, count: SHOWN },
      { retry: false, staleTime: 30_000 },
    ),
  );
  if (preview.error) return <ProblemNote problem={problemOf(preview.error)} />;
  const { moments = [] } = preview.data ?? {};
  const zone = settled.timeZone ?? 'UTC';
  return (
    <section aria-label="Next times">
      <span className="field-label">Next times</span>
      <ol className="plain small">
        {moments.map((moment) => (
          <li key={moment}>
            <time dateTime={moment}>{momentText(moment, zone)}</time>
          </li>
        ))}
        {preview.data && moments.length === 0 && <li>It never starts.</li>}
      </ol>
    </section>
  );
}
