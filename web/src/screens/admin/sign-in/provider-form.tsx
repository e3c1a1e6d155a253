import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Inputs, type Outputs, trpc } from '~/api/client.ts';
import { providerPath } from '~/app/paths.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Checkbox, TextField } from '~/ui/fields.tsx';
import { CertificatesField, secretField, TextFields } from '~/ui/form/text-fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { CheckList } from '~/ui/inputs/check-list.tsx';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { roleNameChoices, useRoles } from '../access/use-choices.ts';
import { MappingFields } from './mapping-fields.tsx';
import { type ProviderDraft, providerDraftOf, providerOf } from './provider-draft.ts';

type Provider = Outputs['signIn']['getProvider'];
type Type = Inputs['signIn']['createProvider']['provider']['type'];

/** Creates a provider, or changes one; its secret is never shown, and kept while its field stays empty. */
export function ProviderForm({ provider, onClose }: { provider?: Provider; onClose: () => void }) {
  const navigate = useNavigate();
  const refresh = useRefresh(trpc.signIn.listProviders.pathFilter(), trpc.signIn.getProvider.pathFilter());
  const roles = useRoles();
  const [name, setName] = useState(provider?.name ?? '');
  const [type, setType] = useState<Type>(provider?.type ?? 'oidc');
  const [draft, change] = useDraft<ProviderDraft>(() => providerDraftOf(provider));
  const isOidc = type === 'oidc';
  const isDescribed = isOidc
    ? draft.issuer.trim() !== '' && draft.clientId.trim() !== ''
    : draft.url.trim() !== '' && draft.userBase.trim() !== '';
  return (
    <FormDialog
      title={provider ? 'Change provider' : 'Create provider'}
      action={provider ? 'Save' : 'Create provider'}
      size="wide"
      isOpen
      onClose={onClose}
      isReady={name.trim() !== '' && isDescribed}
      onSubmit={async () => {
        const settings = providerOf(draft, type, provider);
        if (provider) await api.signIn.updateProvider.mutate({ id: provider._id, updates: settings });
        else {
          const created = await api.signIn.createProvider.mutate({
            provider: { ...settings, name: name.trim(), type },
          });
          await navigate(providerPath(created.data._id));
        }
        await refresh();
      }}
    >
      <div className="columns narrow">
        <TextField
          label="Name"
          hint="Cannot be changed later"
          value={name}
          onChange={setName}
          isReadOnly={provider !== undefined}
          isRequired
          autoFocus
        />
        {provider ? (
          <TextField label="Type" value={type} onChange={() => undefined} isReadOnly />
        ) : (
          <SelectField
            label="Type"
            value={type}
            onChange={setType}
            choices={[
              { value: 'oidc', label: 'OpenID Connect' },
              { value: 'ldap', label: 'LDAP or Active Directory' },
            ]}
          />
        )}
        <TextField
          label="Text on the sign-in page"
          hint="Default: the name"
          value={draft.title}
          onChange={(title) => change({ title })}
        />
      </div>
      {isOidc ? (
        <OidcFields draft={draft} onChange={change} hasSecret={Boolean(provider?.oidc?.clientSecret)} />
      ) : (
        <LdapFields draft={draft} onChange={change} hasSecret={Boolean(provider?.ldap?.bindPassword)} />
      )}
      <CertificatesField value={draft.ca} onChange={(ca) => change({ ca })} />
      <MappingFields mapping={draft.mapping} onChange={(mapping) => change({ mapping })} />
      <CheckList
        label="Roles for every user"
        items={roleNameChoices(roles.data?.results)}
        chosen={draft.defaultRoles}
        onChange={(defaultRoles) => change({ defaultRoles })}
        from={roles}
      />
      <TextField
        label="Minutes that sessions keep their rights while the provider does not answer"
        hint="Default: 15"
        type="number"
        min={1}
        max={1440}
        value={draft.graceMinutes}
        onChange={(graceMinutes) => change({ graceMinutes })}
      />
      <Checkbox
        label="Enabled; disabling it ends the sessions of its users"
        isChecked={draft.isEnabled}
        onChange={(isEnabled) => change({ isEnabled })}
      />
    </FormDialog>
  );
}

type FieldsProps = {
  draft: ProviderDraft;
  onChange: (change: Partial<ProviderDraft>) => void;
  hasSecret: boolean;
};

const OidcFields = ({ draft, onChange, hasSecret }: FieldsProps) => (
  <TextFields
    draft={draft}
    onChange={onChange}
    fields={[
      {
        key: 'issuer',
        label: 'Issuer',
        type: 'url',
        placeholder: 'https://id.example.net',
        isRequired: true,
      },
      { key: 'clientId', label: 'Client id', isRequired: true },
      { key: 'clientSecret', label: 'Client secret', ...secretField(hasSecret) },
      {
        key: 'scopes',
        label: 'Scopes in addition to openid',
        hint: 'Separated by spaces. Default: profile email',
      },
      { key: 'groupsClaim', label: 'Groups claim', hint: 'Default: groups. Dots lead into objects' },
      { key: 'usernameClaim', label: 'Sign-in name claim', hint: 'Default: preferred_username' },
    ]}
  />
);

function LdapFields({ draft, onChange, hasSecret }: FieldsProps) {
  return (
    <>
      <TextFields
        draft={draft}
        onChange={onChange}
        fields={[
          {
            key: 'url',
            label: 'Address',
            hint: 'ldaps://, or ldap:// with StartTLS',
            placeholder: 'ldaps://directory.example.net',
            isRequired: true,
          },
          {
            key: 'bindDn',
            label: 'Bind DN',
            hint: 'Leave empty to bind anonymously',
            autoComplete: 'off',
          },
          { key: 'bindPassword', label: 'Bind password', ...secretField(hasSecret) },
          {
            key: 'userBase',
            label: 'Base DN of users',
            placeholder: 'ou=people,dc=example,dc=net',
            isRequired: true,
          },
          { key: 'groupBase', label: 'Base DN of groups', hint: 'Default: the base DN of users' },
        ]}
      />
      <SelectField
        label="Nested groups"
        value={draft.nested}
        onChange={(nested) => onChange({ nested })}
        choices={[
          { value: 'search', label: 'Searched level by level' },
          { value: 'matching_rule', label: 'By the server (Active Directory)' },
          { value: 'none', label: 'Not followed' },
        ]}
      />
      <details>
        <summary>Attributes and filter</summary>
        <TextFields
          draft={draft}
          onChange={onChange}
          fields={[
            { key: 'usernameAttribute', label: 'Sign-in name', hint: 'Default: uid' },
            { key: 'subjectAttribute', label: 'Permanent identifier of a user', hint: 'Default: entryUUID' },
            { key: 'memberAttribute', label: 'Members of a group', hint: 'Default: member' },
            { key: 'groupNameAttribute', label: 'Name of a group', hint: 'Default: cn' },
            { key: 'userFilter', label: 'User filter', hint: '(objectClass=person)' },
            {
              key: 'serverName',
              label: 'Server name in its certificate',
              hint: 'Default: the host of the address',
            },
          ]}
        />
      </details>
    </>
  );
}
