import { useQuery } from '@tanstack/react-query';
import { trpc } from '~/api/client.ts';
import { Checkbox, TextArea } from '~/ui/fields.tsx';
import { secretField, TextFields } from '~/ui/form/text-fields.tsx';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { type LoginDraft, SECRET_FIELDS, type SecretField } from './host-draft.ts';

/** Most device types and credentials that are offered. */
const OFFERED = 500;

const NAMES: Record<SecretField, string> = {
  password: 'password',
  privateKey: 'private key',
  enablePassword: 'enable password',
};

type LoginFieldsProps = {
  draft: LoginDraft;
  onChange: (change: Partial<LoginDraft>) => void;
  kind: 'cli' | 'grpc';
  /** Secrets that are stored, which the fields do not show. */
  stored?: readonly SecretField[];
  /** Stored secrets that a new address requires again. */
  repeated?: readonly SecretField[];
};

/** How a device is signed in to: with a credential that several share, or with a login of its own. */
export function LoginFields({ draft, onChange, kind, stored = [], repeated = [] }: LoginFieldsProps) {
  const credentials = useQuery(
    trpc.automationgateway.listCredentials.queryOptions({ queryOptions: { limit: OFFERED } }),
  );
  const { credential } = draft;
  const names = (credentials.data?.results ?? [])
    .filter(({ scope }) => !scope || scope.includes(kind))
    .map(({ name }) => name);
  if (credential !== '' && !names.includes(credential)) names.unshift(credential);
  const field = (key: SecretField) => ({
    key,
    ...secretField(stored.includes(key)),
    ...(repeated.includes(key) && {
      problem: 'The address changes: type it again, or remove it below.',
    }),
  });
  return (
    <>
      <SelectField
        label="Sign in with"
        from={credentials}
        hint="Credentials are under Admin, Device credentials"
        value={credential}
        onChange={(next) => onChange({ credential: next })}
        choices={[
          { value: '', label: 'Its own username and password' },
          ...names.map((value) => ({ value, label: value })),
        ]}
      />
      {credential === '' ? (
        <>
          <TextFields
            draft={draft}
            onChange={onChange}
            fields={[
              { key: 'username', label: 'Username on the device', autoComplete: 'off' },
              { ...field('password'), label: 'Password on the device' },
              ...(kind === 'cli' ? [{ ...field('enablePassword'), label: 'Enable password' }] : []),
            ]}
          />
          {kind === 'cli' && (
            <details>
              <summary>Sign in with a private key</summary>
              <TextArea
                label="Private key"
                hint={secretField(stored.includes('privateKey')).hint}
                problem={field('privateKey').problem}
                rows={3}
                isCode
                value={draft.privateKey}
                onChange={(privateKey) => onChange({ privateKey })}
              />
            </details>
          )}
          {stored
            .filter((key) => draft[key] === '')
            .map((key) => (
              <Checkbox
                key={key}
                label={`Remove the stored ${NAMES[key]}`}
                isChecked={draft.removed.includes(key)}
                onChange={(isRemoved) =>
                  onChange({
                    removed: SECRET_FIELDS.filter((one) =>
                      one === key ? isRemoved : draft.removed.includes(one),
                    ),
                  })
                }
              />
            ))}
          <p className="muted small">
            A secret can also be a reference to another system:{' '}
            <code>$SECRET_vault:network/core $KEY_password</code>
          </p>
        </>
      ) : (
        stored.length > 0 && <p className="muted">The login that is stored with the device is removed.</p>
      )}
    </>
  );
}

/** The kind of device that is reached over SSH. */
export function DeviceTypeField({ value, onChange }: { value: string; onChange: (type: string) => void }) {
  const types = useQuery(
    trpc.automationgateway.listDeviceTypes.queryOptions({ queryOptions: { limit: OFFERED } }),
  );
  const known = (types.data?.results ?? []).map(({ device_type: type, description }) => ({
    value: type,
    label: `${type}: ${description}`,
  }));
  const isKnown = value === '' || known.some((one) => one.value === value);
  return (
    <SelectField
      label="Device type"
      from={types}
      value={value}
      onChange={onChange}
      choices={[
        ...(value === '' ? [{ value: '', label: 'Choose one' }] : []),
        ...(isKnown ? [] : [{ value, label: value }]),
        ...known,
      ]}
    />
  );
}
