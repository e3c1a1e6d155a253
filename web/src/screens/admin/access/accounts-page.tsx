import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { accountPath } from '~/app/paths.ts';
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
import { Time } from '~/ui/time.tsx';
import { visibleText } from '~/ui/visible-text.ts';
import { AdminFrame } from '../admin-frame.tsx';
import { choicesOf, useGroupNames, useRoles } from './use-choices.ts';

type Account = Outputs['authorization']['listAccounts']['results'][number];

const COLUMNS: Column<Account>[] = [
  {
    key: 'username',
    header: 'Username',
    sortField: 'username',
    cell: ({ _id, username }) => <Link to={accountPath(_id)}>{visibleText(username)}</Link>,
    text: ({ username }) => username,
  },
  {
    key: 'firstname',
    header: 'Name',
    cell: ({ firstname }) => visibleText(firstname ?? ''),
    text: ({ firstname }) => firstname,
  },
  {
    key: 'email',
    header: 'Email',
    cell: ({ email }) => visibleText(email ?? ''),
    text: ({ email }) => email,
  },
  {
    key: 'state',
    header: 'State',
    cell: ({ inactive }) => (
      <Badge tone={inactive ? 'neutral' : 'good'}>{inactive ? 'deactivated' : 'active'}</Badge>
    ),
    text: ({ inactive }) => (inactive ? 'deactivated' : 'active'),
  },
  {
    key: 'signedIn',
    header: 'Signed in',
    cell: ({ loggedIn }) => (loggedIn ? 'yes' : 'no'),
    text: ({ loggedIn }) => (loggedIn ? 'yes' : 'no'),
  },
  {
    key: 'lastLogin',
    header: 'Last sign-in',
    cell: ({ lastLogin }) => <Time value={lastLogin} />,
    text: ({ lastLogin }) => lastLogin,
  },
  {
    key: 'source',
    header: 'Source',
    cell: ({ provenance }) => visibleText(provenance ?? ''),
    text: ({ provenance }) => provenance,
  },
];

/** The accounts of people. */
export function AccountsPage() {
  const [url] = useUrlState();
  const may = useMay();
  const [isCreating, setCreating] = useState(false);
  const input = { ...listInput(url, 'username', { field: 'username', order: 1 }), isServiceAccount: false };
  return (
    <AdminFrame
      current="Accounts"
      actions={
        may('authorization.createAccount') && (
          <Button variant="primary" onPress={() => setCreating(true)}>
            Create account
          </Button>
        )
      }
    >
      <ListView
        title="Accounts"
        columns={COLUMNS}
        rowKey={({ _id }) => _id}
        path={trpc.authorization.listAccounts.pathKey()}
        input={input}
        read={async (skip, limit) => {
          const { results, total } = await api.authorization.listAccounts.query({
            queryOptions: { ...input, skip, limit },
          });
          return { rows: results, total };
        }}
        empty={<Empty title="There is no account" />}
      />
      {isCreating && <CreateAccount onClose={() => setCreating(false)} />}
    </AdminFrame>
  );
}

function CreateAccount({ onClose }: { onClose: () => void }) {
  const refresh = useRefresh(trpc.authorization.listAccounts.pathFilter());
  const roles = useRoles();
  const groups = useGroupNames();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [firstname, setFirstname] = useState('');
  const [email, setEmail] = useState('');
  const [roleIds, setRoleIds] = useState<Set<string>>(new Set());
  const [groupIds, setGroupIds] = useState<Set<string>>(new Set());
  return (
    <FormDialog
      title="Create account"
      action="Create account"
      isOpen
      onClose={onClose}
      isReady={username.trim() !== '' && password !== ''}
      onSubmit={async () => {
        await api.authorization.createAccount.mutate({
          account: {
            username: username.trim(),
            password,
            ...(firstname && { firstname }),
            ...(email && { email }),
            assignedRoles: [...roleIds].map((roleId) => ({ roleId })),
            memberOf: [...groupIds].map((groupId) => ({ groupId })),
          },
        });
        await refresh();
      }}
    >
      <TextField
        label="Username of the account"
        value={username}
        onChange={setUsername}
        isRequired
        autoFocus
        autoComplete="off"
      />
      <TextField
        label="Password of the account"
        type="password"
        value={password}
        onChange={setPassword}
        isRequired
        autoComplete="new-password"
      />
      <TextField label="Name" value={firstname} onChange={setFirstname} />
      <TextField label="Email" type="email" value={email} onChange={setEmail} />
      <CheckList
        label="Roles"
        items={choicesOf(roles.data?.results)}
        chosen={roleIds}
        onChange={setRoleIds}
      />
      <CheckList label="Groups" items={choicesOf(groups.data)} chosen={groupIds} onChange={setGroupIds} />
    </FormDialog>
  );
}
