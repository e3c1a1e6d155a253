import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { devicePath } from '~/app/paths.ts';
import { usePathParam } from '~/app/routes.tsx';
import { useUrlState } from '~/app/url-state.ts';
import { Button, LinkButton } from '~/ui/button.tsx';
import { TextArea, TextField } from '~/ui/fields.tsx';
import { namesIn } from '~/ui/inputs/lines.ts';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showProblem, showToast } from '~/ui/overlays/toast.tsx';
import { LoadedPage, PathLink } from '~/ui/page.tsx';
import { selectionText } from '~/ui/selection/selection-draft.ts';
import { devicesText, SelectionField } from '~/ui/selection/selection-field.tsx';
import { useSelection } from '~/ui/selection/use-selection.ts';
import { Empty } from '~/ui/states.tsx';
import { ListView } from '~/ui/table/list-page.tsx';

type Group = Outputs['configurationManager']['getDeviceGroup'];

/** One device group with its devices. */
export function GroupPage() {
  const id = usePathParam('groupId');
  const group = useQuery(trpc.configurationManager.getDeviceGroup.queryOptions({ id }));
  return (
    <LoadedPage
      query={group}
      title="Device group"
      titleOf={({ name }) => name}
      path={
        <>
          <PathLink to="/devices">Devices</PathLink> / <PathLink to="/device-groups">Device groups</PathLink>
        </>
      }
      actions={(data) => <Actions group={data} />}
    >
      {(data) => (
        <>
          {data.description && <p>{data.description}</p>}
          {data.selection && (
            <p className="note">
              The group has the devices that its selection matches whenever it is used:{' '}
              {selectionText(data.selection)}
            </p>
          )}
          <Members group={data} />
        </>
      )}
    </LoadedPage>
  );
}

function useRefresh() {
  const queryClient = useQueryClient();
  return () =>
    Promise.all(
      [
        trpc.configurationManager.getDeviceGroup,
        trpc.configurationManager.listDeviceGroups,
        trpc.configurationManager.searchDeviceGroups,
        trpc.configurationManager.listGroupsOfDevice,
      ].map((procedure) => queryClient.invalidateQueries(procedure.pathFilter())),
    );
}

function Members({ group }: { group: Group }) {
  const [{ q = '' }] = useUrlState();
  const may = useMay();
  const refresh = useRefresh();
  const names = group.devices.filter((name) => name.toLowerCase().includes(q.toLowerCase())).sort();
  return (
    <ListView
      title="Devices of the group"
      columns={[
        {
          key: 'name',
          header: 'Name',
          cell: (name: string) => <Link {...devicePath(name)}>{name}</Link>,
          text: (name: string) => name,
        },
      ]}
      rowKey={(name) => name}
      path={['members', group.id]}
      input={{ q, devices: group.devices }}
      read={async (skip, limit) => ({ rows: names.slice(skip, skip + limit), total: names.length })}
      empty={
        <Empty title="The group is empty">
          <p>Add devices with the button above, or select them in the list of devices.</p>
        </Empty>
      }
      {...(may('configurationManager.removeGroupDevices') &&
        !group.selection && {
          bulk: (selected, clear) => (
            <Button
              variant="danger"
              onPress={async () => {
                try {
                  const { message } = await api.configurationManager.removeGroupDevices.mutate({
                    id: group.id,
                    devices: [...selected],
                  });
                  clear();
                  await refresh();
                  showToast(message);
                } catch (error) {
                  showProblem(error);
                }
              }}
            >
              Remove {selected.length} from the group
            </Button>
          ),
        })}
    />
  );
}

function Actions({ group }: { group: Group }) {
  const may = useMay();
  const [open, setOpen] = useState<'add' | 'edit' | 'selection' | 'delete'>();
  const close = () => setOpen(undefined);
  return (
    <>
      {may('mop.runCommandDevices') && group.devices.length > 0 && (
        <LinkButton to="/commands" search={{ group: group.name }}>
          Run commands
        </LinkButton>
      )}
      {may('configurationManager.addGroupDevices') && !group.selection && (
        <Button onPress={() => setOpen('add')}>Add devices</Button>
      )}
      {may('configurationManager.updateDeviceGroup') && group.selection && (
        <Button onPress={() => setOpen('selection')}>Change selection</Button>
      )}
      {may('configurationManager.updateDeviceGroup') && (
        <Button onPress={() => setOpen('edit')}>Rename</Button>
      )}
      {may('configurationManager.deleteDeviceGroups') && (
        <Button variant="danger" onPress={() => setOpen('delete')}>
          Delete
        </Button>
      )}
      {open === 'add' && <AddDevices group={group} onClose={close} />}
      {open === 'selection' && <ChangeSelection group={group} onClose={close} />}
      {open === 'edit' && <EditGroup group={group} onClose={close} />}
      {open === 'delete' && <DeleteGroup group={group} onClose={close} />}
    </>
  );
}

type GroupDialogProps = { group: Group; onClose: () => void };

function AddDevices({ group, onClose }: GroupDialogProps) {
  const refresh = useRefresh();
  const [text, setText] = useState('');
  const devices = namesIn(text);
  return (
    <FormDialog
      title="Add devices"
      action={`Add ${devices.length} devices`}
      isOpen
      onClose={onClose}
      isReady={devices.length > 0}
      onSubmit={async () => {
        const { message, warnings = [] } = await api.configurationManager.addGroupDevices.mutate({
          id: group.id,
          devices,
        });
        await refresh();
        showToast([message, ...warnings].join(' '), warnings.length > 0 ? 'warn' : 'good');
      }}
    >
      <TextArea label="Devices" hint="One name per line." value={text} onChange={setText} isCode />
    </FormDialog>
  );
}

function EditGroup({ group, onClose }: GroupDialogProps) {
  const refresh = useRefresh();
  const [name, setName] = useState(group.name);
  const [description, setDescription] = useState(group.description ?? '');
  return (
    <FormDialog
      title="Rename group"
      action="Save"
      isOpen
      onClose={onClose}
      isReady={name.trim() !== ''}
      onSubmit={async () => {
        await api.configurationManager.updateDeviceGroup.mutate({
          id: group.id,
          details: { name, description },
        });
        await refresh();
      }}
    >
      <TextField label="Name" value={name} onChange={setName} isRequired />
      <TextField label="Description" value={description} onChange={setDescription} />
    </FormDialog>
  );
}

function ChangeSelection({ group, onClose }: GroupDialogProps) {
  const refresh = useRefresh();
  const state = useSelection(group.selection);
  const { selection } = state;
  return (
    <FormDialog
      title="Change selection"
      action={`Save: ${devicesText(state.count)}`}
      size="wide"
      isOpen
      onClose={onClose}
      isReady={selection !== undefined}
      onSubmit={async () => {
        await api.configurationManager.updateDeviceGroup.mutate({ id: group.id, details: { selection } });
        await refresh();
      }}
    >
      <SelectionField state={state} hasGroups={false} />
    </FormDialog>
  );
}

function DeleteGroup({ group, onClose }: GroupDialogProps) {
  const refresh = useRefresh();
  const navigate = useNavigate();
  return (
    <FormDialog
      title="Delete group"
      action="Delete group"
      isDanger
      isOpen
      onClose={onClose}
      onSubmit={async () => {
        const { status, conflicts = [] } = await api.configurationManager.deleteDeviceGroups.mutate({
          groupIds: [group.id],
        });
        if (status === 'conflict')
          throw new Error(`The group is used by ${conflicts.flatMap(({ usedBy }) => usedBy).join(', ')}.`);
        void refresh();
        await navigate({ to: '/device-groups' });
      }}
    >
      <p>
        The group “{group.name}” is deleted. Its {group.devices.length} devices stay as they are.
      </p>
    </FormDialog>
  );
}
