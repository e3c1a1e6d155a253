import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { NamedList } from '~/ui/named-list.tsx';
import { ConfirmDialog } from '~/ui/overlays/dialog.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { CHANGED, NAME } from '~/ui/table/document-columns.tsx';
import { inAdmin } from '../admin-frame.tsx';
import { CredentialForm } from './credential-form.tsx';

type Credential = Outputs['automationgateway']['listCredentials']['results'][number];
type OpenDialog = { kind: 'edit' | 'delete'; credential: Credential };

const COLUMNS: Column<Credential>[] = [
  NAME,
  {
    key: 'username',
    header: 'Username',
    cell: ({ username }) => username ?? '',
    field: 'username',
  },
  {
    key: 'scope',
    header: 'For',
    cell: ({ scope = ['cli', 'grpc'] }) => scope.join(', '),
    field: 'scope',
  },
  { ...CHANGED, key: 'updated' },
];

/** The logins that several devices share; their secrets are never shown. */
export function CredentialsPage() {
  const refresh = useRefresh(trpc.automationgateway.listCredentials.pathFilter());
  const [opened, setOpened] = useState<OpenDialog>();
  const close = () => setOpened(undefined);
  return (
    <>
      <NamedList
        title="Device credentials"
        frame={inAdmin('Device credentials')}
        columns={COLUMNS}
        rowKey={({ name }) => name}
        nameOf={({ name }) => name}
        procedure={trpc.automationgateway.listCredentials}
        read={(queryOptions) => api.automationgateway.listCredentials.query({ queryOptions })}
        defaultSort={{ field: 'name', order: 1 }}
        empty={{
          title: 'There is no device credential yet',
          text: 'A credential is a login that several devices share: a new password is entered once, and not for each device.',
        }}
        create={{
          label: 'Create credential',
          needs: 'automationgateway.createCredential',
          dialog: (onClose) => <CredentialForm onClose={onClose} />,
        }}
        actionsOf={(credential) => [
          {
            label: 'Change',
            needs: 'automationgateway.replaceCredential',
            onAction: () => setOpened({ kind: 'edit', credential }),
          },
          {
            label: 'Delete',
            needs: 'automationgateway.deleteCredential',
            onAction: () => setOpened({ kind: 'delete', credential }),
          },
        ]}
      />
      {opened?.kind === 'edit' && <CredentialForm credential={opened.credential} onClose={close} />}
      {opened?.kind === 'delete' && (
        <ConfirmDialog
          action="Delete credential"
          onClose={close}
          onConfirm={async () => {
            await api.automationgateway.deleteCredential.mutate({ name: opened.credential.name });
            await refresh();
          }}
        >
          The credential “{opened.credential.name}” is deleted. One that devices use cannot be deleted: choose
          another login for them first.
        </ConfirmDialog>
      )}
    </>
  );
}
