import { useQuery } from '@tanstack/react-query';
import { trpc } from '~/api/client.ts';
import { problemOf } from '~/api/problem.ts';
import { useMay } from '~/api/use-may.ts';
import { TextArea } from '../fields.tsx';
import { TextFields } from '../form/text-fields.tsx';
import { CheckList } from '../inputs/check-list.tsx';
import { WordsField } from '../inputs/words-field.tsx';
import { ProblemNote } from '../states.tsx';
import { visibleText } from '../visible-text.ts';
import { useKnownNames } from './use-known-names.ts';
import type { useSelection } from './use-selection.ts';

type SelectionFieldProps = {
  state: ReturnType<typeof useSelection>;
  /** False where a selection may not name groups: in a group itself. */
  hasGroups?: boolean;
};

/** Devices by their properties, with the number and the first names of the matches before anything starts. */
export function SelectionField({ state, hasGroups = true }: SelectionFieldProps) {
  const { draft, change, selection, count, first, error } = state;
  const may = useMay();
  const groups = useQuery(
    trpc.configurationManager.listDeviceGroups.queryOptions(
      {},
      { enabled: hasGroups && may('configurationManager.listDeviceGroups') },
    ),
  );
  const known = useKnownNames();
  const names = new Set([...draft.groups, ...(groups.data ?? []).map(({ name }) => name)]);
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
          { key: 'tags', label: 'Tags', hint: 'Separated by commas' },
          { key: 'sites', label: 'Sites', hint: 'Separated by commas' },
        ]}
      />
      <div className="columns narrow">
        <WordsField
          label="Platforms"
          hint="Config parsers or device types, separated by commas"
          known={known.platforms}
          value={draft.platforms}
          onChange={(platforms) => change({ platforms })}
        />
        <WordsField
          label="Sources"
          hint="Inventory sources or origins, separated by commas"
          known={known.sources}
          value={draft.sources}
          onChange={(sources) => change({ sources })}
        />
      </div>
      {hasGroups && names.size > 0 && (
        <CheckList
          label="Device groups"
          items={[...names].map((name) => ({ id: name, name }))}
          chosen={new Set(draft.groups)}
          onChange={(chosen) => change({ groups: [...chosen] })}
        />
      )}
      <div className="columns narrow">
        <TextArea
          label="Names"
          hint="One a line"
          rows={3}
          isCode
          value={draft.names}
          onChange={(typed) => change({ names: typed })}
        />
        <TextArea
          label="Without"
          hint="Names or patterns, one a line"
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
              : {visibleText(first.join(', '))}
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
