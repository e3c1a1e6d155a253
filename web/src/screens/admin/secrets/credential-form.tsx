import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { TextArea } from '~/ui/fields.tsx';
import { saveOver } from '~/ui/form/save-over.ts';
import { secretField, TextFields } from '~/ui/form/text-fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { CheckList } from '~/ui/inputs/check-list.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';

type Credential = Outputs['automationgateway']['listCredentials']['results'][number];

const SECRETS = ['password', 'privateKey', 'enablePassword'] as const;

/** The inventories whose hosts may use a credential. */
const SCOPES = [
  { id: 'cli', name: 'Devices over SSH' },
  { id: 'grpc', name: 'Devices over gNOI' },
  { id: 'http', name: 'Web services that workflows call' },
] as const;

/** Creates a login that devices share, or changes one; its secrets are never shown, and kept while their fields stay empty. */
export function CredentialForm({ credential, onClose }: { credential?: Credential; onClose: () => void }) {
  const refresh = useRefresh(trpc.automationgateway.listCredentials.pathFilter());
  // What is stored may change while the form is open: what it held at first is what this user changes.
  const [stored, setStored] = useState(credential);
  const [draft, change] = useDraft({
    name: credential?.name ?? '',
    username: credential?.username ?? '',
    password: '',
    privateKey: '',
    enablePassword: '',
    scope: credential?.scope ?? (['cli', 'grpc'] as NonNullable<Credential['scope']>),
  });
  const name = draft.name.trim();
  const next = {
    name,
    username: draft.username.trim() || null,
    scope: draft.scope,
    // The mask, which is what is read of a stored secret, keeps it.
    ...Object.fromEntries(SECRETS.map((field) => [field, draft[field] || (stored?.[field] ?? null)])),
  };
  return (
    <FormDialog
      title={credential ? 'Change credential' : 'Create credential'}
      action={credential ? 'Save' : 'Create credential'}
      isOpen
      onClose={onClose}
      isReady={name !== '' && draft.scope.length > 0}
      onSubmit={async () => {
        const { createCredential, replaceCredential, getCredential } = api.automationgateway;
        if (!stored) await createCredential.mutate({ credential: next });
        else {
          await saveOver(
            stored.lastUpdated,
            (options) => replaceCredential.mutate({ name, credential: { ...stored, ...next } }, options),
            async () => setStored(await getCredential.query({ name })),
          );
        }
        await refresh();
      }}
    >
      <TextFields
        draft={draft}
        onChange={change}
        fields={[
          {
            key: 'name',
            label: 'Name',
            isRequired: true,
            ...(credential ? { isReadOnly: true } : { autoFocus: true }),
          },
          { key: 'username', label: 'Username on the device', autoComplete: 'off' },
          { key: 'password', label: 'Password on the device', ...hintOf(stored?.password) },
          { key: 'enablePassword', label: 'Enable password', ...hintOf(stored?.enablePassword) },
        ]}
      />
      <TextArea
        label="Private key"
        hint={hintOf(stored?.privateKey).hint}
        rows={3}
        isCode
        value={draft.privateKey}
        onChange={(privateKey) => change({ privateKey })}
      />
      <CheckList
        label="For"
        items={SCOPES}
        chosen={new Set(draft.scope)}
        onChange={(chosen) => change({ scope: SCOPES.map(({ id }) => id).filter((id) => chosen.has(id)) })}
      />
      <p className="muted small">
        A secret can also be a reference to another system:{' '}
        <code>$SECRET_vault:network/core $KEY_password</code>
      </p>
    </FormDialog>
  );
}

const hintOf = (stored: unknown) => ({
  ...secretField(false),
  ...(stored ? { hint: 'Stored, and not shown. Leave empty to keep it.' } : {}),
});
