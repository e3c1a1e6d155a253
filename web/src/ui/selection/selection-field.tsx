import { problemOf } from '~/api/problem.ts';
import { TextArea } from '../fields.tsx';
import { TextFields } from '../form/text-fields.tsx';
import { ProblemNote } from '../states.tsx';
import type { useSelection } from './use-selection.ts';
import { ValuesField } from './values-field.tsx';

/** The fields whose values exist on devices, in the order of the form. */
const FIELDS = [
  { key: 'tags', label: 'Tags', hint: 'Tags of devices' },
  { key: 'sites', label: 'Sites', hint: 'Sites of devices' },
  { key: 'platforms', label: 'Platforms', hint: 'Config parsers or device types' },
  { key: 'sources', label: 'Sources', hint: 'Inventory sources or origins' },
  { key: 'groups', label: 'Device groups', hint: 'Devices of any of these groups' },
] as const;

type SelectionFieldProps = {
  state: ReturnType<typeof useSelection>;
  /** False where a selection may not name groups: in a group itself. */
  hasGroups?: boolean;
};

/** Devices by their properties, with the number and the first names of the matches before anything starts. */
export function SelectionField({ state, hasGroups = true }: SelectionFieldProps) {
  const { draft, change, selection, count, first, error } = state;
  const fields = hasGroups ? FIELDS : FIELDS.filter(({ key }) => key !== 'groups');
  return (
    <fieldset className="check-list column">
      <legend className="field-label">Selection of devices</legend>
      <p className="muted small">
        A device is selected when it matches every field that is filled in, and one of the values of each.
      </p>
      <TextFields
        draft={draft}
        onChange={change}
        fields={[
          {
            key: 'pattern',
            label: 'Name pattern',
            hint: '* is any text, ? one character; * alone: all devices',
          },
        ]}
      />
      <div className="columns narrow">
        {fields.map(({ key, ...field }) => (
          <ValuesField
            key={key}
            {...field}
            field={key}
            value={draft[key]}
            onChange={(values) => change({ [key]: values })}
          />
        ))}
      </div>
      <div className="columns narrow">
        <TextArea
          label="Names"
          hint="One per line"
          rows={3}
          isCode
          value={draft.names}
          onChange={(typed) => change({ names: typed })}
        />
        <TextArea
          label="Without"
          hint="Names or patterns, one per line"
          rows={3}
          isCode
          value={draft.exclude}
          onChange={(exclude) => change({ exclude })}
        />
      </div>
      {error ? (
        <ProblemNote problem={problemOf(error)} />
      ) : (
        <p role="status" aria-label="Selected devices">
          {selection === undefined
            ? 'No device is selected. Fill in at least one field; for all devices, enter the pattern *.'
            : count === undefined
              ? 'Counting …'
              : `${count.toLocaleString('en')} ${count === 1 ? 'device' : 'devices'}`}
          {first.length > 0 && (
            <span className="muted">
              : {first.join(', ')}
              {count !== undefined && count > first.length && ' …'}
            </span>
          )}
        </p>
      )}
    </fieldset>
  );
}

/** Returns a number of devices in words. */
export const devicesText = (count: number | undefined): string =>
  count === undefined ? 'devices' : `${count.toLocaleString('en')} ${count === 1 ? 'device' : 'devices'}`;
