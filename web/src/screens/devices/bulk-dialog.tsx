import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api, trpc } from '~/api/client.ts';
import { BulkRun } from '~/ui/actions/bulk-run.tsx';
import { TextField } from '~/ui/fields.tsx';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { DeleteDevices } from './host/delete-device.tsx';
import { useDeviceGroups } from './use-device-groups.ts';

export type BulkAction = 'alive' | 'backup' | 'group' | 'commands' | 'delete';
type BulkProps = { names: readonly string[]; onClose: () => void };

const devicesText = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'device' : 'devices'}`;

/** What is done with the selected devices. */
export function BulkDialog({ kind, ...props }: BulkProps & { kind: BulkAction }) {
  if (kind === 'alive') return <AliveTest {...props} />;
  if (kind === 'backup') return <Backup {...props} />;
  if (kind === 'group') return <AddToGroup {...props} />;
  if (kind === 'delete') return <DeleteDevices {...props} />;
  return <OpenCommands {...props} />;
}

export function AliveTest({ names, onClose }: BulkProps) {
  const queryClient = useQueryClient();
  return (
    <BulkRun
      title="Test whether devices respond"
      action={`Test ${devicesText(names.length)}`}
      intro="A new session is opened to each device. Nothing is changed on it."
      items={names}
      run={async (name, signal) => {
        const { isAlive, detail, sync } = await api.configurationManager.isDeviceAlive.query(
          { name },
          { signal },
        );
        return { isGood: isAlive, text: isAlive ? `responds${sync ? `, ${sync}` : ''}` : detail };
      }}
      onDone={() => {
        void queryClient.invalidateQueries(trpc.configurationManager.searchDevices.pathFilter());
        void queryClient.invalidateQueries(trpc.configurationManager.getDevice.pathFilter());
        void queryClient.invalidateQueries(trpc.automationgateway.getHost.pathFilter());
      }}
      onClose={onClose}
    />
  );
}

export function Backup({ names, onClose }: BulkProps) {
  const queryClient = useQueryClient();
  return (
    <BulkRun
      title="Back up devices"
      action={`Back up ${devicesText(names.length)}`}
      intro="The configuration of each device is read and stored, unless the newest backup already has it."
      items={names}
      run={async (name, signal) => {
        const { unchanged } = await api.configurationManager.backUpDevice.mutate({ name }, { signal });
        return { isGood: true, text: unchanged ? 'unchanged since the newest backup' : 'stored' };
      }}
      onDone={() => void queryClient.invalidateQueries(trpc.configurationManager.searchBackups.pathFilter())}
      onClose={onClose}
    />
  );
}

/** Adds devices to a group that exists, or to a new one. */
function AddToGroup({ names, onClose }: BulkProps) {
  const queryClient = useQueryClient();
  const read = useDeviceGroups();
  const groups = read.data ?? [];
  const [id, setId] = useState('');
  const [newName, setNewName] = useState('');
  const group = groups.find((one) => one.id === id);
  return (
    <FormDialog
      title="Add to group"
      action={`Add ${devicesText(names.length)}`}
      isOpen
      onClose={onClose}
      isReady={id !== '' || newName.trim() !== ''}
      onSubmit={async () => {
        const devices = [...names];
        const { message } = group
          ? await api.configurationManager.addGroupDevices.mutate({ id, devices })
          : await api.configurationManager.createDeviceGroup.mutate({
              groupName: newName.trim(),
              deviceNames: devices,
            });
        await queryClient.invalidateQueries(trpc.configurationManager.listDeviceGroups.pathFilter());
        showToast(message);
      }}
    >
      <SelectField
        label="Group"
        from={read}
        value={id}
        onChange={setId}
        choices={[
          { value: '', label: 'A new group' },
          ...groups.map((one) => ({ value: one.id, label: `${one.name} (${one.devices.length})` })),
        ]}
      />
      {id === '' && (
        <TextField label="Name of the new group" value={newName} onChange={setNewName} isRequired />
      )}
    </FormDialog>
  );
}

/** Hands the devices over to the command runner, which asks again before it sends anything. */
function OpenCommands({ names, onClose }: BulkProps) {
  const navigate = useNavigate();
  useEffect(() => {
    onClose();
    void navigate({ to: '/commands', search: { devices: names.join('\n') } });
  }, [names, navigate, onClose]);
  return null;
}
