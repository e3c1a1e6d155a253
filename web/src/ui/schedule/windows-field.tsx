import { Button } from '../button.tsx';
import { TextField } from '../fields.tsx';
import { CheckList } from '../inputs/check-list.tsx';
import { SelectField } from '../inputs/select-field.tsx';
import { type TimeWindow, WEEKDAYS, type Weekday } from './schedule-draft.ts';

type WindowsFieldProps = {
  /** `Blackout periods` or `Maintenance windows`. */
  label: string;
  hint: string;
  windows: readonly TimeWindow[];
  onChange: (windows: readonly TimeWindow[]) => void;
};

const WEEKLY: TimeWindow = { weekdays: ['saturday', 'sunday'], from: '22:00', to: '04:00' };

/** Periods of time: once, or on days of each week. */
export function WindowsField({ label, hint, windows, onChange }: WindowsFieldProps) {
  const replace = (index: number, next: TimeWindow) =>
    onChange(windows.map((one, at) => (at === index ? next : one)));
  return (
    <fieldset className="check-list">
      <legend className="field-label">{label}</legend>
      <p className="muted small">{hint}</p>
      {windows.map((window, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: periods have no identity but their place
        <div key={index} className="column">
          <WindowFields
            name={`${label} ${index + 1}`}
            window={window}
            onChange={(next) => replace(index, next)}
          />
          <div className="row">
            <Button
              variant="quiet"
              aria-label={`Remove ${label.toLowerCase()} ${index + 1}`}
              onPress={() => onChange(windows.filter((_, at) => at !== index))}
            >
              Remove
            </Button>
          </div>
        </div>
      ))}
      <Button onPress={() => onChange([...windows, WEEKLY])}>Add period</Button>
    </fieldset>
  );
}

type WindowFieldsProps = { name: string; window: TimeWindow; onChange: (window: TimeWindow) => void };

function WindowFields({ name, window, onChange }: WindowFieldsProps) {
  const isWeekly = 'weekdays' in window;
  return (
    <fieldset className="column bare" aria-label={name}>
      <SelectField
        label="Repeats"
        value={isWeekly ? 'weekly' : 'once'}
        onChange={(kind) =>
          onChange(
            kind === 'weekly'
              ? WEEKLY
              : { from: new Date().toISOString(), to: new Date(Date.now() + 86_400_000).toISOString() },
          )
        }
        choices={[
          { value: 'weekly', label: 'Each week' },
          { value: 'once', label: 'Once' },
        ]}
      />
      {isWeekly ? (
        <>
          <WeekdayList
            label="Begins on"
            chosen={window.weekdays}
            onChange={(weekdays) => onChange({ ...window, weekdays })}
          />
          <div className="columns narrow">
            <TextField
              label="From"
              type="time"
              value={window.from}
              onChange={(from) => onChange({ ...window, from })}
            />
            <TextField
              label="To"
              hint="If it is not later than the start: on the next day"
              type="time"
              value={window.to}
              onChange={(to) => onChange({ ...window, to })}
            />
          </div>
        </>
      ) : (
        <div className="columns narrow">
          <TextField
            label="From (UTC)"
            type="datetime-local"
            value={window.from.slice(0, 16)}
            onChange={(from) => onChange({ ...window, from: utcOf(from) })}
          />
          <TextField
            label="To (UTC)"
            type="datetime-local"
            value={window.to.slice(0, 16)}
            onChange={(to) => onChange({ ...window, to: utcOf(to) })}
          />
        </div>
      )}
    </fieldset>
  );
}

/** Returns what a field for a local time holds as a time in UTC. */
const utcOf = (text: string) => (text ? `${text}:00.000Z` : '');

type WeekdayListProps = {
  label: string;
  chosen: readonly Weekday[];
  onChange: (weekdays: Weekday[]) => void;
};

/** Some days of the week, in their order. */
export const WeekdayList = ({ label, chosen, onChange }: WeekdayListProps) => (
  <CheckList
    label={label}
    items={WEEKDAYS.map((day) => ({ id: day, name: day }))}
    chosen={new Set(chosen)}
    onChange={(next) => onChange(WEEKDAYS.filter((day) => next.has(day)))}
  />
);
