import { Link } from '@tanstack/react-router';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { accountPath } from '~/app/paths.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { TextField } from '~/ui/fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { NamedList } from '~/ui/named-list.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { Time } from '~/ui/time.tsx';
import { inAdmin } from '../admin-frame.tsx';
import { MembershipFields, membershipOf } from './membership.tsx';

type Account = Outputs['authorization']['listAccounts']['results'][number];

const COLUMNS: Column<Account>[] = [
  {
    key: 'username',
    header: 'Username',
    sortField: 'username',
    cell: ({ _id, username }) => <Link {...accountPath(_id)}>{username}</Link>,
    field: 'username',
  },
  {
    key: 'firstname',
    header: 'Name',
    cell: ({ firstname }) => firstname ?? '',
    field: 'firstname',
  },
  {
    key: 'email',
    header: 'Email',
    cell: ({ email }) => email ?? '',
    field: 'email',
  },
  {
    key: 'state',
    header: 'State',
    cell: ({ inactive }) => (
      <Badge tone={inactive ? 'neutral' : 'good'}>{inactive ? 'deactivated' : 'active'}</Badge>
    ),
    field: 'inactive:Inactive',
  },
  {
    key: 'signedIn',
    header: 'Signed in',
    cell: ({ loggedIn }) => (loggedIn ? 'yes' : 'no'),
    field: 'loggedIn',
  },
  {
    key: 'lastLogin',
    header: 'Last sign-in',
    cell: ({ lastLogin }) => <Time value={lastLogin} />,
    field: 'lastLogin',
  },
  {
    key: 'source',
    header: 'Source',
    cell: ({ provenance }) => provenance ?? '',
    field: 'provenance',
  },
];

/** The accounts of people. */
export const AccountsPage = () => (
  <NamedList
    title="Accounts"
    frame={inAdmin('Accounts')}
    columns={COLUMNS}
    rowKey={({ _id }) => _id}
    procedure={trpc.authorization.listAccounts}
    request={(query) => ({ queryOptions: { ...query, isServiceAccount: false } })}
    read={(query) =>
      api.authorization.listAccounts.query({ queryOptions: { ...query, isServiceAccount: false } })
    }
    textField="username"
    defaultSort={{ field: 'username', order: 1 }}
    empty={{ title: 'There is no account', text: 'Create one for each person who works here.' }}
    create={{
      label: 'Create account',
      needs: 'authorization.createAccount',
      dialog: (onClose) => <CreateAccount onClose={onClose} />,
    }}
  />
);

function CreateAccount({ onClose }: { onClose: () => void }) {
  const refresh = useRefresh(trpc.authorization.listAccounts.pathFilter());
  const [draft, change] = useDraft({
    username: '',
    password: '',
    firstname: '',
    email: '',
    roleIds: new Set<string>(),
    groupIds: new Set<string>(),
  });
  const { username, password, firstname, email } = draft;
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
            ...membershipOf(draft),
          },
        });
        await refresh();
      }}
    >
      <TextField
        label="Username of the account"
        value={username}
        onChange={(text) => change({ username: text })}
        isRequired
        autoFocus
        autoComplete="off"
      />
      <TextField
        label="Password of the account"
        type="password"
        value={password}
        onChange={(text) => change({ password: text })}
        isRequired
        autoComplete="new-password"
      />
      <TextField label="Name" value={firstname} onChange={(text) => change({ firstname: text })} />
      <TextField label="Email" type="email" value={email} onChange={(text) => change({ email: text })} />
      <MembershipFields chosen={draft} onChange={change} />
    </FormDialog>
  );
}
