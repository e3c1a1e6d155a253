import { useState } from 'react';
import { problemOfRead } from '~/api/problem.ts';
import { useUrlState, useUrlText } from '~/app/url-state.ts';
import { Button } from '~/ui/button.tsx';
import { Checkbox, TextField } from '~/ui/fields.tsx';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { counted } from '~/ui/quantities.ts';
import { SelectionDialog } from '~/ui/selection/selection-dialog.tsx';
import { selectionIn, selectionText } from '~/ui/selection/selection-draft.ts';
import { ProblemNote } from '~/ui/states.tsx';
import { useDeviceGroups } from '../devices/use-device-groups.ts';
import { TARGETS, type useTargets } from './use-targets.ts';

type TargetPickerProps = {
  targets: ReturnType<typeof useTargets>;
};

/** Chooses devices by filter and lists them all, before anything is sent. */
export function TargetPicker({ targets }: TargetPickerProps) {
  const [{ group = '', devices = '', selection }, setUrl] = useUrlState();
  const match = useUrlText('match');
  const platform = useUrlText('platform');
  const read = useDeviceGroups();
  const groups = read.data ?? [];
  const [name, setName] = useState('');
  const [isSelecting, setSelecting] = useState(false);
  const chosen = selectionIn(selection);
  const isAsked = [match.text, platform.text, group, devices, selection].some(Boolean);
  const nothingChosen = isAsked ? 'No device matches.' : 'No device is selected. Select at least one.';
  const add = () => {
    if (name.trim() === '') return;
    setUrl({ devices: [...devices.split('\n').filter(Boolean), name.trim()].join('\n') });
    setName('');
  };
  return (
    <section className="card" aria-label="Devices">
      <h2>Devices</h2>
      <div className="columns narrow">
        <TextField label="Name contains" value={match.text} onChange={match.setText} />
        <TextField label="Platform contains" value={platform.text} onChange={platform.setText} />
        <SelectField
          label="Group"
          from={read}
          value={group}
          onChange={(value) => setUrl({ group: value })}
          choices={[
            { value: '', label: 'No group' },
            ...groups.map((one) => ({ value: one.name, label: `${one.name} (${one.devices.length})` })),
          ]}
        />
        <form
          className="field-and-button"
          onSubmit={(event) => {
            event.preventDefault();
            add();
          }}
        >
          <TextField label="One device by name" value={name} onChange={setName} />
          <Button type="submit" isDisabled={name.trim() === ''}>
            Add device
          </Button>
        </form>
      </div>
      <div className="row">
        <Button onPress={() => setSelecting(true)}>Select by properties</Button>
        {chosen && <span>{selectionText(chosen)}</span>}
      </div>
      {isSelecting && (
        <SelectionDialog
          initial={chosen}
          onClose={() => setSelecting(false)}
          onSelect={(next) => setUrl({ selection: JSON.stringify(next) })}
        />
      )}
      {targets.error && <ProblemNote problem={problemOfRead(targets.error)} />}
      <p role="status">
        {targets.isLoading
          ? 'Searching …'
          : targets.names.length === 0
            ? nothingChosen
            : `${targets.chosen.length} of ${counted(targets.names.length, 'device')} ${targets.names.length === 1 ? 'is a target' : 'are targets'}.`}
        {targets.isCut && ` More match; one run has at most ${TARGETS.toLocaleString('en')}.`}
      </p>
      {targets.names.length > 0 && (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
          <section className="target-list" tabIndex={0} aria-label="Targets">
            {targets.names.map((one) => (
              <Checkbox
                key={one}
                label={one}
                isChecked={!targets.excluded.includes(one)}
                onChange={(isChosen) => {
                  const others = targets.excluded.filter((other) => other !== one);
                  setUrl({ without: (isChosen ? others : [...others, one]).join('\n') });
                }}
              />
            ))}
          </section>
          <div className="row">
            <Button
              variant="quiet"
              onPress={() => {
                setUrl({
                  match: undefined,
                  platform: undefined,
                  group: undefined,
                  devices: undefined,
                  selection: undefined,
                  without: undefined,
                });
              }}
            >
              Clear devices
            </Button>
          </div>
        </>
      )}
    </section>
  );
}
