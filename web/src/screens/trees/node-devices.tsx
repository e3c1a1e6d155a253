import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { devicePath } from '~/app/paths.ts';
import { Button } from '~/ui/button.tsx';
import { TextArea } from '~/ui/fields.tsx';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showProblem, showToast } from '~/ui/overlays/toast.tsx';
import type { Place } from './place.ts';

type NodeDetail = Outputs['configurationManager']['getNode'];

/** Number of devices rendered at first. */
const DRAWN = 200;

/** The devices and device groups of a node. */
export function NodeDevices({ place, node }: { place: Place; node: NodeDetail }) {
  const may = useMay();
  const queryClient = useQueryClient();
  const [isAdding, setAdding] = useState(false);
  const [isAddingGroup, setAddingGroup] = useState(false);
  const [limit, setLimit] = useState(DRAWN);
  const { devices = [], deviceGroups = [] } = node.attributes ?? {};
  const groups = useQuery(trpc.configurationManager.listDeviceGroups.queryOptions({}));
  const nameOf = (id: string) => groups.data?.find((group) => group.id === id)?.name ?? id;
  const onSettled = () =>
    Promise.all(
      (['getNode', 'getVersion', 'listTreeDevices'] as const).map((name) =>
        queryClient.invalidateQueries(trpc.configurationManager[name].pathFilter()),
      ),
    );
  const options = { onError: showProblem, onSettled };
  const remove = useMutation(trpc.configurationManager.removeNodeDevices.mutationOptions(options));
  const removeGroup = useMutation(trpc.configurationManager.removeNodeDeviceGroups.mutationOptions(options));
  const mayEdit = may('configurationManager.addNodeDevices');
  return (
    <div className="columns">
      <section className="card" aria-labelledby="devices">
        <h3 id="devices">Devices: {devices.length}</h3>
        {devices.length === 0 && <p className="muted">No device is assigned to this node itself.</p>}
        <ul className="plain">
          {devices.slice(0, limit).map((name) => (
            <li key={name} className="assigned">
              <Link {...devicePath(name)}>{name}</Link>
              {mayEdit && (
                <Button
                  variant="quiet"
                  aria-label={`Remove ${name} from the node`}
                  onPress={() => remove.mutate({ ...place, devices: [name] })}
                >
                  ✕
                </Button>
              )}
            </li>
          ))}
        </ul>
        <div className="row">
          {devices.length > limit && (
            <Button onPress={() => setLimit(devices.length)}>Show all {devices.length}</Button>
          )}
          {mayEdit && <Button onPress={() => setAdding(true)}>Assign devices</Button>}
        </div>
      </section>
      <section className="card" aria-labelledby="groups">
        <h3 id="groups">Device groups: {deviceGroups.length}</h3>
        {deviceGroups.length === 0 && <p className="muted">No device group is assigned.</p>}
        <ul className="plain">
          {deviceGroups.map(({ id = '' }) => (
            <li key={id} className="assigned">
              <span>{nameOf(id)}</span>
              {mayEdit && (
                <Button
                  variant="quiet"
                  aria-label={`Remove the group ${nameOf(id)} from the node`}
                  onPress={() => removeGroup.mutate({ ...place, deviceGroups: [id] })}
                >
                  ✕
                </Button>
              )}
            </li>
          ))}
        </ul>
        {mayEdit && (
          <div>
            <Button onPress={() => setAddingGroup(true)}>Assign a group</Button>
          </div>
        )}
      </section>
      {isAdding && <AddDevices place={place} onClose={() => setAdding(false)} onDone={onSettled} />}
      {isAddingGroup && (
        <AddGroup place={place} groups={groups} onClose={() => setAddingGroup(false)} onDone={onSettled} />
      )}
    </div>
  );
}

type AddProps = { place: Place; onClose: () => void; onDone: () => Promise<unknown> };

function AddDevices({ place, onClose, onDone }: AddProps) {
  const [text, setText] = useState('');
  const names = [...new Set(text.split(/[\s,]+/).filter(Boolean))];
  const add = useMutation(trpc.configurationManager.addNodeDevices.mutationOptions());
  return (
    <FormDialog
      title={`Assign devices to ${place.nodePath}`}
      action={`Assign ${names.length} ${names.length === 1 ? 'device' : 'devices'}`}
      isOpen
      onClose={onClose}
      isReady={names.length > 0}
      onSubmit={async () => {
        const { warnings = [] } = await add.mutateAsync({ ...place, devices: names });
        await onDone();
        if (warnings.length > 0) showToast(warnings.join(' '), 'warn');
      }}
    >
      <TextArea
        label="Names"
        hint="Separated by commas or lines."
        rows={5}
        value={text}
        onChange={setText}
        isRequired
      />
    </FormDialog>
  );
}

function AddGroup({
  place,
  groups,
  onClose,
  onDone,
}: AddProps & { groups: UseQueryResult<readonly { id?: string; name: string }[], unknown> }) {
  const [group, setGroup] = useState('');
  const add = useMutation(trpc.configurationManager.addNodeDeviceGroups.mutationOptions());
  return (
    <FormDialog
      title={`Assign a device group to ${place.nodePath}`}
      action="Assign group"
      isOpen
      onClose={onClose}
      isReady={group !== ''}
      onSubmit={async () => {
        await add.mutateAsync({ ...place, deviceGroups: [group] });
        await onDone();
      }}
    >
      <SelectField
        label="Device group"
        value={group}
        choices={[
          { value: '', label: 'Choose one' },
          ...(groups.data ?? []).map(({ id, name }) => ({ value: id ?? '', label: name })),
        ]}
        from={groups}
        onChange={setGroup}
      />
    </FormDialog>
  );
}
