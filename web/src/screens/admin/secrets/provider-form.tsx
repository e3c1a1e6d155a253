import { api, type Inputs, type Outputs, trpc } from '~/api/client.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Checkbox, TextField } from '~/ui/fields.tsx';
import { CertificatesField, secretField, TextFields } from '~/ui/form/text-fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';

type Provider = Outputs['secrets']['listProviders']['results'][number];
type NewProvider = Inputs['secrets']['createProvider']['provider'];

const KINDS: { value: NewProvider['kind']; label: string }[] = [
  { value: 'vault', label: 'HashiCorp Vault or OpenBao' },
  { value: 'environment', label: 'Environment variables' },
  { value: 'files', label: 'Files' },
];

const number = (value: number | null | undefined) =>
  value === null || value === undefined ? '' : String(value);

const draftOf = (provider: Provider | undefined) => ({
  name: provider?.name ?? '',
  kind: provider?.kind ?? ('vault' as NewProvider['kind']),
  description: provider?.description ?? '',
  isDefault: provider?.default ?? false,
  url: provider?.url ?? '',
  namespace: provider?.namespace ?? '',
  mount: provider?.mount ?? '',
  method: provider?.auth?.method ?? ('approle' as const),
  token: '',
  roleId: provider?.auth?.roleId ?? '',
  secretId: '',
  rolePath: provider?.auth?.path ?? '',
  ca: provider?.ca ?? '',
  timeoutMs: number(provider?.timeoutMs),
  cacheSeconds: number(provider?.cacheSeconds),
  leaseIdleSeconds: number(provider?.leaseIdleSeconds),
  prefix: provider?.prefix ?? '',
  folder: provider?.folder ?? '',
});

type Draft = ReturnType<typeof draftOf>;

/** Returns the provider of the form; a secret that was not typed keeps its mask, so that the stored one stays. */
function providerOf(draft: Draft, stored: Provider | undefined): NewProvider {
  const { auth } = stored ?? {};
  const common = {
    name: draft.name.trim(),
    kind: draft.kind,
    description: draft.description.trim() || null,
    default: draft.isDefault,
    ...(draft.cacheSeconds && { cacheSeconds: Number(draft.cacheSeconds) }),
  };
  if (draft.kind === 'environment') return { ...common, ...(draft.prefix && { prefix: draft.prefix }) };
  if (draft.kind === 'files') return { ...common, ...(draft.folder && { folder: draft.folder }) };
  return {
    ...common,
    url: draft.url.trim(),
    ...(draft.namespace && { namespace: draft.namespace }),
    ...(draft.mount && { mount: draft.mount }),
    ...(draft.ca.trim() && { ca: draft.ca.trim() }),
    ...(draft.timeoutMs && { timeoutMs: Number(draft.timeoutMs) }),
    ...(draft.leaseIdleSeconds && { leaseIdleSeconds: Number(draft.leaseIdleSeconds) }),
    auth:
      draft.method === 'token'
        ? { method: 'token', token: draft.token || (auth?.token ?? '') }
        : {
            method: 'approle',
            roleId: draft.roleId,
            secretId: draft.secretId || (auth?.secretId ?? ''),
            ...(draft.rolePath && { path: draft.rolePath }),
          },
  };
}

/** Creates a provider, or replaces one; token and secret id are never shown, and kept while their fields stay empty. */
export function ProviderForm({ provider, onClose }: { provider?: Provider; onClose: () => void }) {
  const refresh = useRefresh(trpc.secrets.listProviders.pathFilter());
  const [draft, change] = useDraft(() => draftOf(provider));
  return (
    <FormDialog
      title={provider ? 'Change provider' : 'Create provider'}
      action={provider ? 'Save' : 'Create provider'}
      size="wide"
      isOpen
      onClose={onClose}
      isReady={draft.name.trim() !== '' && (draft.kind !== 'vault' || draft.url.trim() !== '')}
      onSubmit={async () => {
        const body = providerOf(draft, provider);
        if (provider) await api.secrets.replaceProvider.mutate({ name: provider.name, provider: body });
        else await api.secrets.createProvider.mutate({ provider: body });
        await refresh();
      }}
    >
      <div className="columns narrow">
        <TextField
          label="Name"
          hint="Lower-case letters, digits and hyphens; references use it"
          value={draft.name}
          onChange={(name) => change({ name })}
          isReadOnly={provider !== undefined}
          isRequired
          autoFocus
        />
        <SelectField label="Kind" value={draft.kind} onChange={(kind) => change({ kind })} choices={KINDS} />
      </div>
      <TextField
        label="Description"
        value={draft.description}
        onChange={(description) => change({ description })}
      />
      {draft.kind === 'vault' && <VaultFields draft={draft} onChange={change} stored={provider} />}
      {draft.kind === 'environment' && (
        <TextField
          label="Prefix of the variables"
          hint="Default: what the operator allows"
          value={draft.prefix}
          onChange={(prefix) => change({ prefix })}
        />
      )}
      {draft.kind === 'files' && (
        <TextField
          label="Folder of the files"
          hint="Default: what the operator allows"
          value={draft.folder}
          onChange={(folder) => change({ folder })}
        />
      )}
      <TextField
        label="Seconds that a value is kept"
        hint="Default: 30"
        type="number"
        min={0}
        max={3600}
        value={draft.cacheSeconds}
        onChange={(cacheSeconds) => change({ cacheSeconds })}
      />
      <Checkbox
        label="Use it for references without a provider name"
        isChecked={draft.isDefault}
        onChange={(isDefault) => change({ isDefault })}
      />
    </FormDialog>
  );
}

type VaultFieldsProps = {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
  stored: Provider | undefined;
};

function VaultFields({ draft, onChange, stored }: VaultFieldsProps) {
  return (
    <>
      <TextFields
        draft={draft}
        onChange={onChange}
        fields={[
          { key: 'url', label: 'Address', type: 'url', isRequired: true },
          { key: 'namespace', label: 'Namespace' },
          { key: 'mount', label: 'Mount path of the KV engine', hint: 'Default: secret' },
        ]}
      />
      <SelectField
        label="Signs in with"
        value={draft.method}
        onChange={(method) => onChange({ method })}
        choices={[
          { value: 'approle', label: 'AppRole' },
          { value: 'token', label: 'A token' },
        ]}
      />
      <TextFields
        draft={draft}
        onChange={onChange}
        fields={
          draft.method === 'token'
            ? [{ key: 'token', label: 'Token', ...secretField(stored?.auth?.token) }]
            : [
                { key: 'roleId', label: 'Role id' },
                { key: 'secretId', label: 'Secret id', ...secretField(stored?.auth?.secretId) },
                { key: 'rolePath', label: 'Mount path of AppRole', hint: 'Default: approle' },
              ]
        }
      />
      <CertificatesField value={draft.ca} onChange={(ca) => onChange({ ca })} />
      <TextField
        label="Seconds that an unused dynamic secret is kept"
        hint="Default: 900"
        type="number"
        min={1}
        max={86400}
        value={draft.leaseIdleSeconds}
        onChange={(leaseIdleSeconds) => onChange({ leaseIdleSeconds })}
      />
    </>
  );
}
