import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { deviceGroupPath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { useCreate } from '~/ui/actions/use-create.tsx';
import { TextArea, TextField } from '~/ui/fields.tsx';
import { namesIn } from '~/ui/inputs/lines.ts';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { PathLink } from '~/ui/page.tsx';
import { SelectionField } from '~/ui/selection/selection-field.tsx';
import { useSelection } from '~/ui/selection/use-selection.ts';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { DESCRIPTION } from '~/ui/table/document-columns.tsx';
import { ListPage } from '~/ui/table/list-page.tsx';
import { Time } from '~/ui/time.tsx';

type Group = Outputs['configurationManager']['searchDeviceGroups']['list'][number];

const COLUMNS: Column<Group>[] = [
  {
    key: 'name',
    header: 'Name',
    cell: ({ id, name }) => <Link {...deviceGroupPath(id)}>{name}</Link>,
    field: 'name',
  },
  {
    key: 'devices',
    header: 'Devices',
    isNumber: true,
    cell: ({ devices }) => devices.length.toLocaleString('en'),
    field: 'devices.length',
  },
  DESCRIPTION,
  {
    key: 'updated',
    header: 'Changed',
    cell: ({ updated }) => <Time value={updated} />,
    field: 'updated',
  },
];

/** The device groups. */
export function GroupsPage() {
  const [{ q }] = useUrlState();
  const create = useCreate({
    label: 'Create group',
    needs: 'configurationManager.createDeviceGroup',
    dialog: (onClose) => <CreateGroup onClose={onClose} />,
  });
  const input = q ? { filter: { name: q } } : {};
  return (
    <>
      <ListPage
        title="Device groups"
        pathTo={<PathLink to="/devices">Devices</PathLink>}
        actions={create.button}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        path={trpc.configurationManager.searchDeviceGroups.pathKey()}
        input={input}
        request={{ options: input }}
        read={async (skip, limit) => {
          const { list, total } = await api.configurationManager.searchDeviceGroups.query({
            // The search answers with at most a hundred.
            options: { ...input, start: skip, limit: Math.min(limit, 100) },
          });
          return { rows: list, total };
        }}
        empty={
          <Empty title="There is no device group yet" next={create.next}>
            <p>Create one here, or select devices in the list of devices.</p>
          </Empty>
        }
      />
      {create.dialog}
    </>
  );
}

function CreateGroup({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [devices, setDevices] = useState('');
  const [kind, setKind] = useState<'list' | 'selection'>('list');
  const state = useSelection();
  const { selection } = state;
  return (
    <FormDialog
      title="Create group"
      action="Create group"
      {...(kind === 'selection' && { size: 'wide' as const })}
      isOpen
      onClose={onClose}
      isReady={name.trim() !== '' && (kind === 'list' || selection !== undefined)}
      onSubmit={async () => {
        const created = await api.configurationManager.createDeviceGroup.mutate({
          groupName: name.trim(),
          groupDescription: description,
          ...(kind === 'list' ? { deviceNames: namesIn(devices) } : { selection }),
        });
        await queryClient.invalidateQueries(trpc.configurationManager.searchDeviceGroups.pathFilter());
        await queryClient.invalidateQueries(trpc.configurationManager.listDeviceGroups.pathFilter());
        showToast([created.message, ...(created.warnings ?? [])].join(' '));
      }}
    >
      <TextField label="Name" value={name} onChange={setName} isRequired autoFocus />
      <TextField label="Description" value={description} onChange={setDescription} />
      <SelectField
        label="Devices of the group"
        value={kind}
        onChange={setKind}
        choices={[
          { value: 'list', label: 'A list of names' },
          { value: 'selection', label: 'What a selection matches whenever it is used' },
        ]}
      />
      {kind === 'list' ? (
        <TextArea
          label="Devices"
          hint="One name per line; may be left empty."
          value={devices}
          onChange={setDevices}
          isCode
        />
      ) : (
        <SelectionField state={state} hasGroups={false} />
      )}
    </FormDialog>
  );
}
