import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { SecretOnce } from '~/ui/actions/secret-once.tsx';
import { useAct, useRefresh } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { TextField } from '~/ui/fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { NamedList } from '~/ui/named-list.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { DESCRIPTION } from '~/ui/table/document-columns.tsx';
import { Time } from '~/ui/time.tsx';
import { inAdmin } from '../admin-frame.tsx';
import { MembershipFields, membershipOf } from './membership.tsx';

type ServiceAccount = Outputs['oauth']['listServiceAccounts']['results'][number];
type Secret = Outputs['oauth']['regenerateSecret']['results'];
type OpenDialog = { kind: 'regenerate' | 'delete'; account: ServiceAccount };

/** Accounts of programs, which sign in with a client id and a secret. */
export function ServiceAccountsPage() {
  const act = useAct(trpc.oauth.listServiceAccounts.pathFilter());
  const [opened, setOpened] = useState<OpenDialog>();
  const [secret, setSecret] = useState<Secret>();
  return (
    <>
      <NamedList
        title="Service accounts"
        frame={inAdmin('Service accounts')}
        columns={COLUMNS}
        rowKey={({ client_id }) => client_id}
        nameOf={({ name }) => name}
        procedure={trpc.oauth.listServiceAccounts}
        read={(queryOptions) => api.oauth.listServiceAccounts.query({ queryOptions })}
        empty={{
          title: 'There is no service account yet',
          text: 'Programs sign in with one instead of a person’s password.',
        }}
        create={{
          label: 'Create service account',
          needs: 'oauth.createServiceAccount',
          dialog: (onClose) => <Create onClose={onClose} onCreated={setSecret} />,
        }}
        actionsOf={(account) => [
          {
            label: 'New secret',
            needs: 'oauth.regenerateSecret',
            onAction: () => setOpened({ kind: 'regenerate', account }),
          },
          {
            label: account.inactive ? 'Activate' : 'Deactivate',
            needs: 'oauth.updateServiceAccount',
            onAction: () =>
              void act(() =>
                api.oauth.updateServiceAccount.mutate({
                  client_id: account.client_id,
                  updates: { inactive: !account.inactive },
                }),
              ),
          },
          {
            label: 'Delete',
            needs: 'oauth.deleteServiceAccount',
            onAction: () => setOpened({ kind: 'delete', account }),
          },
        ]}
      />
      {opened && (
        <Confirm
          kind={opened.kind}
          account={opened.account}
          onClose={() => setOpened(undefined)}
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
    </>
  );
}

const COLUMNS: Column<ServiceAccount>[] = [
  { key: 'name', header: 'Name', cell: ({ name }) => name, field: 'name' },
  {
    key: 'client',
    header: 'Client id',
    cell: ({ client_id }) => <code>{client_id}</code>,
    field: 'client_id',
  },
  DESCRIPTION,
  {
    key: 'state',
    header: 'State',
    cell: ({ inactive }) => (
      <Badge tone={inactive ? 'neutral' : 'good'}>{inactive ? 'deactivated' : 'active'}</Badge>
    ),
    field: 'inactive:Inactive',
  },
  {
    key: 'created',
    header: 'Created',
    cell: ({ created }) => <Time value={created} />,
    field: 'created',
  },
  {
    key: 'lastUsed',
    header: 'Last used',
    cell: ({ lastUsed }) => <Time value={lastUsed} />,
    field: 'lastUsed',
  },
];

function Create({ onClose, onCreated }: { onClose: () => void; onCreated: (secret: Secret) => void }) {
  const refresh = useRefresh(trpc.oauth.listServiceAccounts.pathFilter());
  const [draft, change] = useDraft({
    name: '',
    description: '',
    roleIds: new Set<string>(),
    groupIds: new Set<string>(),
  });
  const { name, description } = draft;
  return (
    <FormDialog
      title="Create service account"
      action="Create service account"
      isOpen
      onClose={onClose}
      isReady={name.trim() !== ''}
      onSubmit={async () => {
        const { results } = await api.oauth.createServiceAccount.mutate({
          accountData: { name: name.trim(), description, ...membershipOf(draft) },
        });
        onCreated(results);
        await refresh();
      }}
    >
      <TextField label="Name" value={name} onChange={(text) => change({ name: text })} isRequired autoFocus />
      <TextField label="Description" value={description} onChange={(text) => change({ description: text })} />
      <MembershipFields chosen={draft} onChange={change} />
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
      action={isDelete ? 'Delete service account' : 'Generate a new secret'}
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
          ? `“${name}” is deleted; programs that use it can no longer sign in.`
          : `The current secret of “${name}” stops working at once.`}
      </p>
    </FormDialog>
  );
}
