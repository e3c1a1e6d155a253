import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { groupPath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { FormDialog } from '~/ui/dialog.tsx';
import { TextField } from '~/ui/fields.tsx';
import { CheckList } from '~/ui/inputs/check-list.tsx';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { listInput } from '~/ui/table/list-input.ts';
import { ListView } from '~/ui/table/list-page.tsx';
import { visibleText } from '~/ui/visible-text.ts';
import { AdminFrame } from '../admin-frame.tsx';
import { choicesOf, useRoles } from './use-choices.ts';

type Group = Outputs['authorization']['listGroups']['results'][number];

const COLUMNS: Column<Group>[] = [
  {
    key: 'name',
    header: 'Name',
    sortField: 'name',
    cell: ({ _id, name }) => <Link to={groupPath(_id)}>{visibleText(name)}</Link>,
    text: ({ name }) => name,
  },
  {
    key: 'description',
    header: 'Description',
    cell: ({ description }) => visibleText(description ?? ''),
    text: ({ description }) => description,
  },
  {
    key: 'state',
    header: 'State',
    cell: ({ inactive }) => (
      <Badge tone={inactive ? 'neutral' : 'good'}>{inactive ? 'inactive' : 'active'}</Badge>
    ),
    text: ({ inactive }) => (inactive ? 'inactive' : 'active'),
  },
  {
    key: 'roles',
    header: 'Roles',
    isNumber: true,
    cell: ({ assignedRoles = [] }) => assignedRoles.length,
    text: ({ assignedRoles = [] }) => assignedRoles.length,
  },
  {
    key: 'source',
    header: 'Source',
    cell: ({ provenance }) => visibleText(provenance ?? ''),
    text: ({ provenance }) => provenance,
  },
];

/** The groups of accounts. */
export function GroupsPage() {
  const [url] = useUrlState();
  const may = useMay();
  const [isCreating, setCreating] = useState(false);
  const input = listInput(url, 'name', { field: 'name', order: 1 });
  return (
    <AdminFrame
      current="Groups"
      actions={
        may('authorization.createGroup') && (
          <Button variant="primary" onPress={() => setCreating(true)}>
            Create group
          </Button>
        )
      }
    >
      <ListView
        title="Groups"
        columns={COLUMNS}
        rowKey={({ _id }) => _id}
        path={trpc.authorization.listGroups.pathKey()}
        input={input}
        read={async (skip, limit) => {
          const { results, total } = await api.authorization.listGroups.query({
            queryOptions: { ...input, skip, limit },
          });
          return { rows: results, total };
        }}
        empty={
          <Empty title="There is no group yet">
            <p>A group gives its roles to all accounts in it.</p>
          </Empty>
        }
      />
      {isCreating && <CreateGroup onClose={() => setCreating(false)} />}
    </AdminFrame>
  );
}

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
        items={choicesOf(roles.data?.results)}
        chosen={roleIds}
        onChange={setRoleIds}
      />
    </FormDialog>
  );
}
