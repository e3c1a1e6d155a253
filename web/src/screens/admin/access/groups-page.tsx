import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { groupPath } from '~/app/paths.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { TextField } from '~/ui/fields.tsx';
import { CheckList } from '~/ui/inputs/check-list.tsx';
import { NamedList } from '~/ui/named-list.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { DESCRIPTION } from '~/ui/table/document-columns.tsx';
import { inAdmin } from '../admin-frame.tsx';
import { roleChoices, useRoles } from './use-choices.ts';

type Group = Outputs['authorization']['listGroups']['results'][number];

const COLUMNS: Column<Group>[] = [
  {
    key: 'name',
    header: 'Name',
    sortField: 'name',
    cell: ({ _id, name }) => <Link {...groupPath(_id)}>{name}</Link>,
    field: 'name',
  },
  DESCRIPTION,
  {
    key: 'state',
    header: 'State',
    cell: ({ inactive }) => (
      <Badge tone={inactive ? 'neutral' : 'good'}>{inactive ? 'inactive' : 'active'}</Badge>
    ),
    field: 'inactive:Inactive',
  },
  {
    key: 'roles',
    header: 'Roles',
    isNumber: true,
    cell: ({ assignedRoles = [] }) => assignedRoles.length,
    field: 'assignedRoles.length',
  },
  {
    key: 'source',
    header: 'Source',
    cell: ({ provenance }) => provenance ?? '',
    field: 'provenance',
  },
];

/** The groups of accounts. */
export const GroupsPage = () => (
  <NamedList
    title="Groups"
    frame={inAdmin('Groups')}
    columns={COLUMNS}
    rowKey={({ _id }) => _id}
    procedure={trpc.authorization.listGroups}
    read={(queryOptions) => api.authorization.listGroups.query({ queryOptions })}
    defaultSort={{ field: 'name', order: 1 }}
    empty={{ title: 'There is no group yet', text: 'A group gives its roles to all accounts in it.' }}
    create={{
      label: 'Create group',
      needs: 'authorization.createGroup',
      dialog: (onClose) => <CreateGroup onClose={onClose} />,
    }}
  />
);

function CreateGroup({ onClose }: { onClose: () => void }) {
  const refresh = useRefresh(
    trpc.authorization.listGroups.pathFilter(),
    trpc.authorization.listGroupNames.pathFilter(),
  );
  const roles = useRoles();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [roleIds, setRoleIds] = useState<Set<string>>(new Set());
  return (
    <FormDialog
      title="Create group"
      action="Create group"
      isOpen
      onClose={onClose}
      isReady={name.trim() !== ''}
      onSubmit={async () => {
        const assignedRoles = [...roleIds].map((roleId) => ({ roleId }));
        await api.authorization.createGroup.mutate({
          group: { name: name.trim(), description, assignedRoles },
        });
        await refresh();
      }}
    >
      <TextField label="Name" value={name} onChange={setName} isRequired autoFocus />
      <TextField label="Description" value={description} onChange={setDescription} />
      <CheckList
        label="Roles"
        items={roleChoices(roles.data?.results)}
        chosen={roleIds}
        onChange={setRoleIds}
        from={roles}
      />
    </FormDialog>
  );
}
