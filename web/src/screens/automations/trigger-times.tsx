import { TextField } from '~/ui/fields.tsx';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import type { ScheduleDraft } from '~/ui/schedule/schedule-draft.ts';
import { ScheduleField } from '~/ui/schedule/schedule-field.tsx';
import type { TriggerDraft } from './trigger-draft.ts';

const TIMES: { value: TriggerDraft['times']; label: string }[] = [
  { value: 'rule', label: 'By a calendar, an interval or a cron expression' },
  { value: 'moment', label: 'At one moment, then repeated if needed' },
];

const UNITS: { value: TriggerDraft['unit']; label: string }[] = [
  { value: 'once', label: 'Not repeated' },
  { value: 'minute', label: 'Minutes' },
  { value: 'hour', label: 'Hours' },
  { value: 'day', label: 'Days' },
  { value: 'week', label: 'Weeks' },
  { value: 'month', label: 'Months' },
  { value: 'year', label: 'Years' },
];

const STORED_INTERVAL = { value: 'interval', label: 'The stored interval' } as const;

const MISSED: { value: TriggerDraft['missed']; label: string }[] = [
  { value: 'none', label: 'Skip them' },
  { value: 'last', label: 'Run the last one' },
  { value: 'all', label: 'Run all of them' },
];

type TriggerTimesProps = {
  draft: TriggerDraft;
  onChange: (change: Partial<TriggerDraft>) => void;
  rule: ScheduleDraft;
  onRuleChange: (change: Partial<ScheduleDraft>) => void;
};

/** When a trigger starts by the clock: by a rule, or at one moment and then in intervals. */
export function TriggerTimes({ draft, onChange, rule, onRuleChange }: TriggerTimesProps) {
  const { times, unit, frequency, firstStart, missed } = draft;
  const isRule = times === 'rule';
  const first = (
    <TextField
      label={isRule ? 'Not before (UTC)' : 'First start (UTC)'}
      type="datetime-local"
      value={firstStart}
      onChange={(text) => onChange({ firstStart: text })}
      isRequired={!isRule}
    />
  );
  return (
    <>
      <SelectField
        label="Times"
        value={times}
        onChange={(next) => onChange({ times: next })}
        choices={TIMES}
      />
      {isRule ? (
        <>
          <ScheduleField draft={rule} onChange={onRuleChange} isRequired />
          {first}
        </>
      ) : (
        <div className="columns narrow">
          {first}
          <SelectField
            label="Unit of the interval"
            value={unit}
            onChange={(next) => onChange({ unit: next })}
            choices={unit === 'interval' ? [...UNITS, STORED_INTERVAL] : UNITS}
          />
          {unit !== 'once' && unit !== 'interval' && (
            <TextField
              label="Units between two starts"
              type="number"
              min={1}
              value={frequency}
              onChange={(text) => onChange({ frequency: text })}
            />
          )}
        </div>
      )}
      <SelectField
        label="Missed runs"
        value={missed}
        onChange={(next) => onChange({ missed: next })}
        choices={MISSED}
      />
    </>
  );
}
