import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { createKey, hasSecurityKeys } from '~/api/security-key.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Button } from '~/ui/button.tsx';
import { TextField } from '~/ui/fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { ActionMenu } from '~/ui/overlays/menu.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { QueryView } from '~/ui/states.tsx';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { Time } from '~/ui/time.tsx';
import { NO_PROOF, ProofFields, sentProof } from './proof-fields.tsx';

type Key = Outputs['session']['listSecurityKeys']['results'][number];
type OpenDialog = { kind: 'add' } | { kind: 'rename' | 'remove'; key: Key };

/** What the dialogs need to know of the account. */
export type Factors = { username: string; isFactorNeeded: boolean; hasKeys: boolean };

const COLUMNS: Column<Key>[] = [
  { key: 'name', header: 'Name', cell: ({ name }) => name },
  { key: 'host', header: 'For the address', cell: ({ host }) => host },
  { key: 'created', header: 'Registered', cell: ({ created }) => <Time value={created} /> },
  { key: 'lastUsed', header: 'Last used', cell: ({ lastUsed }) => <Time value={lastUsed} /> },
];

const useKeyRefresh = () =>
  useRefresh(trpc.session.listSecurityKeys.pathFilter(), trpc.session.getSecondFactor.pathFilter());

type SecurityKeysProps = { factors: Factors; onRecoveryCodes: (codes: readonly string[]) => void };

/** The security keys of one's own account. */
export function SecurityKeys({ factors, onRecoveryCodes }: SecurityKeysProps) {
  const keys = useQuery(trpc.session.listSecurityKeys.queryOptions({}));
  const [opened, setOpened] = useState<OpenDialog>();
  const close = () => setOpened(undefined);
  const columns: Column<Key>[] = [
    ...COLUMNS,
    {
      key: 'actions',
      header: 'Actions',
      cell: (key) => (
        <ActionMenu
          label="Actions"
          name={`Actions of ${key.name}`}
          actions={[
            { label: 'Rename', onAction: () => setOpened({ kind: 'rename', key }) },
            { label: 'Remove', onAction: () => setOpened({ kind: 'remove', key }) },
          ]}
        />
      ),
    },
  ];
  return (
    <>
      <div className="row">
        <h3>Security keys</h3>
        {hasSecurityKeys() ? (
          <Button onPress={() => setOpened({ kind: 'add' })}>Add security key</Button>
        ) : (
          <span className="muted">Browsers allow them only at https:// addresses with a host name.</span>
        )}
      </div>
      <QueryView query={keys} loading="Loading security keys">
        {({ results }) =>
          results.length === 0 ? (
            <p className="muted">You have none. At the sign-in you touch a key instead of entering a code.</p>
          ) : (
            <DataTable label="Security keys" columns={columns} rows={results} rowKey={({ _id }) => _id} />
          )
        }
      </QueryView>
      {opened?.kind === 'add' && (
        <AddKey factors={factors} onRecoveryCodes={onRecoveryCodes} onClose={close} />
      )}
      {opened?.kind === 'rename' && <RenameKey stored={opened.key} onClose={close} />}
      {opened?.kind === 'remove' && <RemoveKey stored={opened.key} factors={factors} onClose={close} />}
    </>
  );
}

function AddKey({ factors, onRecoveryCodes, onClose }: SecurityKeysProps & { onClose: () => void }) {
  const refresh = useKeyRefresh();
  const [name, setName] = useState('');
  const [proof, change] = useDraft(NO_PROOF);
  return (
    <FormDialog
      title="Add security key"
      action="Register the key"
      isOpen
      onClose={onClose}
      isReady={name.trim() !== '' && proof.password !== ''}
      onSubmit={async () => {
        const { options } = await api.session.startSecurityKey.mutate(await sentProof(proof, factors));
        const credential = await createKey(options);
        const { message, recoveryCodes } = await api.session.confirmSecurityKey.mutate({
          name: name.trim(),
          credential,
        });
        showToast(message);
        if (recoveryCodes.length > 0) onRecoveryCodes(recoveryCodes);
        await refresh();
      }}
    >
      <p>The browser will ask you to touch the key. From then on, signing in needs a second factor.</p>
      <TextField label="Name of the key" value={name} onChange={setName} isRequired />
      <ProofFields proof={proof} onChange={change} {...factors} />
    </FormDialog>
  );
}

function RenameKey({ stored, onClose }: { stored: Key; onClose: () => void }) {
  const refresh = useKeyRefresh();
  const [name, setName] = useState(stored.name);
  return (
    <FormDialog
      title="Rename security key"
      action="Save"
      isOpen
      onClose={onClose}
      isReady={name.trim() !== ''}
      onSubmit={async () => {
        await api.session.renameSecurityKey.mutate({ id: stored._id, name: name.trim() });
        await refresh();
      }}
    >
      <TextField label="Name of the key" value={name} onChange={setName} isRequired autoFocus />
    </FormDialog>
  );
}

function RemoveKey({ stored, factors, onClose }: { stored: Key; factors: Factors; onClose: () => void }) {
  const refresh = useKeyRefresh();
  const [proof, change] = useDraft(NO_PROOF);
  return (
    <FormDialog
      title="Remove security key"
      action="Remove the key"
      isDanger
      isOpen
      onClose={onClose}
      isReady={proof.password !== ''}
      onSubmit={async () => {
        const { message } = await api.session.removeSecurityKey.mutate({
          id: stored._id,
          ...(await sentProof(proof, factors)),
        });
        showToast(message);
        await refresh();
      }}
    >
      <p>“{stored.name}” can no longer be used to sign in.</p>
      <ProofFields proof={proof} onChange={change} {...factors} />
    </FormDialog>
  );
}
