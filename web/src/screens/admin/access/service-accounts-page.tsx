import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { useUrlState } from '~/app/url-state.ts';
import { SecretOnce } from '~/ui/actions/secret-once.tsx';
import { useAct, useRefresh } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { FormDialog } from '~/ui/dialog.tsx';
import { TextField } from '~/ui/fields.tsx';
import { CheckList } from '~/ui/inputs/check-list.tsx';
import { ActionMenu } from '~/ui/menu.tsx';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { listInput } from '~/ui/table/list-input.ts';
import { ListView } from '~/ui/table/list-page.tsx';
import { Time } from '~/ui/time.tsx';
import { visibleText } from '~/ui/visible-text.ts';
import { AdminFrame } from '../admin-frame.tsx';
import { choicesOf, useGroupNames, useRoles } from './use-choices.ts';

type ServiceAccount = Outputs['oauth']['listServiceAccounts']['results'][number];
type Secret = Outputs['oauth']['regenerateSecret']['results'];
type Asked = { kind: 'create' } | { kind: 'regenerate' | 'delete'; account: ServiceAccount };

/** Accounts of programs, which sign in with a client id and a secret. */
export function ServiceAccountsPage() {
  const [url] = useUrlState();
  const may = useMay();
  const act = useAct(trpc.oauth.listServiceAccounts.pathFilter());
  const [asked, setAsked] = useState<Asked>();
  const [secret, setSecret] = useState<Secret>();
  const input = listInput(url, 'name');
  const actionsOf = (account: ServiceAccount) => [
    ...(may('oauth.regenerateSecret')
      ? [{ label: 'New secret', onAction: () => setAsked({ kind: 'regenerate', account }) }]
      : []),
    ...(may('oauth.updateServiceAccount')
      ? [
          {
            label: account.inactive ? 'Activate' : 'Deactivate',
            onAction: () =>
              void act(() =>
                api.oauth.updateServiceAccount.mutate({
                  client_id: account.client_id,
                  updates: { inactive: !account.inactive },
                }),
              ),
          },
        ]
      : []),
    ...(may('oauth.deleteServiceAccount')
      ? [{ label: 'Delete', onAction: () => setAsked({ kind: 'delete', account }) }]
      : []),
  ];
  const columns: Column<ServiceAccount>[] = [
    ...COLUMNS,
    {
      key: 'actions',
      header: 'Actions',
      cell: (account) => <ActionMenu label="Actions" actions={actionsOf(account)} />,
    },
  ];
  return (
    <AdminFrame
      current="Service accounts"
      actions={
        may('oauth.createServiceAccount') && (
          <Button variant="primary" onPress={() => setAsked({ kind: 'create' })}>
            Create service account
          </Button>
        )
      }
    >
      <ListView
        title="Service accounts"
        columns={columns}
        rowKey={({ client_id }) => client_id}
        path={trpc.oauth.listServiceAccounts.pathKey()}
        input={input}
        read={async (skip, limit) => {
          const { results, total } = await api.oauth.listServiceAccounts.query({
            queryOptions: { ...input, skip, limit },
          });
          return { rows: results, total };
        }}
        empty={
          <Empty title="There is no service account yet">
            <p>Programs sign in with one instead of a person’s password.</p>
          </Empty>
        }
      />
      {asked?.kind === 'create' && <Create onClose={() => setAsked(undefined)} onCreated={setSecret} />}
      {(asked?.kind === 'regenerate' || asked?.kind === 'delete') && (
        <Confirm
          kind={asked.kind}
          account={asked.account}
          onClose={() => setAsked(undefined)}
          onSecret={setSecret}
        />
      )}
      {secret && (
        <SecretOnce
          title="Secret of the service account"
          entries={[
            ['Client id', secret.client_id],
            ['Client secret', secret.client_secret],
          ]}
          onClose={() => setSecret(undefined)}
        />
      )}
    </AdminFrame>
  );
}

const COLUMNS: Column<ServiceAccount>[] = [
  { key: 'name', header: 'Name', cell: ({ name }) => visibleText(name), text: ({ name }) => name },
  {
    key: 'client',
    header: 'Client id',
    cell: ({ client_id }) => <code>{client_id}</code>,
    text: ({ client_id }) => client_id,
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
      <Badge tone={inactive ? 'neutral' : 'good'}>{inactive ? 'deactivated' : 'active'}</Badge>
    ),
    text: ({ inactive }) => (inactive ? 'deactivated' : 'active'),
  },
  {
    key: 'created',
    header: 'Created',
    cell: ({ created }) => <Time value={created} />,
    text: ({ created }) => created,
  },
  {
    key: 'lastUsed',
    header: 'Last used',
    cell: ({ lastUsed }) => <Time value={lastUsed} />,
    text: ({ lastUsed }) => lastUsed,
  },
];

function Create({ onClose, onCreated }: { onClose: () => void; onCreated: (secret: Secret) => void }) {
  const refresh = useRefresh(trpc.oauth.listServiceAccounts.pathFilter());
  const roles = useRoles();
  const groups = useGroupNames();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [roleIds, setRoleIds] = useState<Set<string>>(new Set());
  const [groupIds, setGroupIds] = useState<Set<string>>(new Set());
  return (
    <FormDialog
      title="Create service account"
      action="Create service account"
      isOpen
      onClose={onClose}
      isReady={name.trim() !== ''}
      onSubmit={async () => {
        const { results } = await api.oauth.createServiceAccount.mutate({
          accountData: {
            name: name.trim(),
            description,
            assignedRoles: [...roleIds].map((roleId) => ({ roleId })),
            memberOf: [...groupIds].map((groupId) => ({ groupId })),
          },
        });
        onCreated(results);
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
      <CheckList label="Groups" items={choicesOf(groups.data)} chosen={groupIds} onChange={setGroupIds} />
    </FormDialog>
  );
}

type ConfirmProps = {
  kind: 'regenerate' | 'delete';
  account: ServiceAccount;
  onClose: () => void;
  onSecret: (secret: Secret) => void;
};

function Confirm({ kind, account: { client_id, name }, onClose, onSecret }: ConfirmProps) {
  const refresh = useRefresh(trpc.oauth.listServiceAccounts.pathFilter());
  const isDelete = kind === 'delete';
  return (
    <FormDialog
      title={isDelete ? 'Delete service account' : 'New secret'}
      action={isDelete ? 'Delete service account' : 'Make a new secret'}
      isDanger
      isOpen
      onClose={onClose}
      onSubmit={async () => {
        if (isDelete) await api.oauth.deleteServiceAccount.mutate({ client_id });
        else onSecret((await api.oauth.regenerateSecret.mutate({ client_id })).results);
        await refresh();
      }}
    >
      <p>
        {isDelete
          ? `“${visibleText(name)}” goes; programs that use it can no longer sign in.`
          : `The present secret of “${visibleText(name)}” stops working at once.`}
      </p>
    </FormDialog>
  );
}
