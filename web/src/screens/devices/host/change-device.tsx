import { useState } from 'react';
import { api, trpc } from '~/api/client.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Checkbox, TextField } from '~/ui/fields.tsx';
import { JsonField } from '~/ui/form/json-field.tsx';
import { saveOver } from '~/ui/form/save-over.ts';
import { TextFields } from '~/ui/form/text-fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import {
  customFieldsOf,
  customText,
  type Host,
  hostChangeOf,
  hostDraftOf,
  managedFieldsOf,
  SECRET_FIELDS,
  secretsToRepeat,
} from './host-draft.ts';
import { DeviceTypeField, LoginFields } from './login-fields.tsx';

type ChangeDeviceProps = { kind: 'cli' | 'grpc'; host: Host; onClose: () => void };

/** Changes a device of the inventory: how it is reached, how it is signed in to, and its properties. */
export function ChangeDevice({ kind, host: current, onClose }: ChangeDeviceProps) {
  const refresh = useRefreshDevices();
  // What is stored may change while the form is open: what it held at first says what this user changes.
  const [host] = useState(current);
  const [opened] = useState(() => hostDraftOf(host));
  const [draft, change] = useDraft(opened);
  const [stamp, setStamp] = useState(host.lastUpdated);
  const updates = hostChangeOf(opened, draft, host);
  const managed = managedFieldsOf(host);
  const owned = (field: string) =>
    managed.has(field) && {
      isReadOnly: true,
      hint: `Of the inventory source ${host.source ?? ''}`,
    };
  const ownedCustom = Object.entries(customFieldsOf(host, true));
  const stored = SECRET_FIELDS.filter((field) => host[field] && opened[field] === '');
  const { name } = host;
  return (
    <FormDialog
      title={`Change ${name}`}
      action="Save"
      size="wide"
      isOpen
      onClose={onClose}
      isReady={updates !== undefined}
      onSubmit={async () => {
        await saveOver(
          stamp,
          (options) =>
            api.automationgateway.updateHost.mutate({ kind, name, updates: updates ?? {} }, options),
          async () => setStamp((await api.automationgateway.getHost.query({ kind, name })).lastUpdated),
        );
        showToast(`${name} is saved`);
        await refresh();
      }}
    >
      {managed.size > 0 && (
        <p className="note">
          The inventory source {host.source ?? ''} manages this device. What the source sends cannot be
          changed here: change it there, and read the source again.
        </p>
      )}
      <TextFields
        draft={draft}
        onChange={change}
        fields={[
          {
            key: 'host',
            label: 'Address',
            hint: 'An IP address or a DNS name',
            isRequired: true,
            autoFocus: true,
            ...owned('host'),
          },
          {
            key: 'port',
            label: kind === 'cli' ? 'SSH port' : 'Port',
            type: 'number',
            min: 1,
            max: 65_535,
            ...owned('port'),
          },
          { key: 'site', label: 'Site', ...owned('site') },
          {
            key: 'tags',
            label: 'Tags',
            hint: host.source ? 'Separated by commas; those of the source come back' : 'Separated by commas',
          },
        ]}
      />
      {kind === 'cli' &&
        (managed.has('device_type') ? (
          <TextField
            label="Device type"
            value={draft.type}
            onChange={() => undefined}
            isReadOnly
            hint={`Of the inventory source ${host.source ?? ''}`}
          />
        ) : (
          <DeviceTypeField value={draft.type} onChange={(type) => change({ type })} />
        ))}
      <LoginFields
        draft={draft}
        onChange={change}
        kind={kind}
        stored={stored}
        repeated={secretsToRepeat(opened, draft, host)}
      />
      {kind === 'cli' && (
        <>
          <TextFields
            draft={draft}
            onChange={change}
            fields={[
              {
                key: 'jumpHost',
                label: 'Jump host',
                hint: 'The name of a device through which it is reached; empty: none',
              },
            ]}
          />
          <Checkbox
            label="Offer insecure algorithms too, for old devices"
            isChecked={draft.hasLegacyAlgorithms}
            onChange={(hasLegacyAlgorithms) => change({ hasLegacyAlgorithms })}
          />
        </>
      )}
      <JsonField
        label="Custom fields"
        hint={'A JSON object, such as {"rack": "A-12"}'}
        rows={4}
        text={draft.custom}
        onChange={(custom) => change({ custom })}
      />
      {ownedCustom.length > 0 && (
        <p className="muted">
          Custom fields of the source:{' '}
          {ownedCustom.map(([field, value]) => `${field} = ${customText(value)}`).join(', ')}
        </p>
      )}
    </FormDialog>
  );
}

/** Returns a function that reads devices again wherever they are shown. */
export const useRefreshDevices = () =>
  useRefresh(
    trpc.automationgateway.getHost.pathFilter(),
    trpc.configurationManager.getDevice.pathFilter(),
    trpc.configurationManager.getDeviceConfiguration.pathFilter(),
    trpc.configurationManager.searchDevices.pathFilter(),
  );
