import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, trpc } from '~/api/client.ts';
import { devicePath } from '~/app/paths.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { SelectField } from '~/ui/fields.tsx';
import { secretField, TextFields } from '~/ui/form/text-fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { wordsIn } from '~/ui/inputs/lines.ts';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { visibleText } from '~/ui/visible-text.ts';

/** Most device types and credentials that are offered. */
const OFFERED = 500;

const EMPTY = {
  name: '',
  host: '',
  port: '22',
  type: '',
  credential: '',
  username: '',
  password: '',
  enablePassword: '',
  tags: '',
  site: '',
};

/** Adds one device that is reached over SSH to the inventory. */
export function AddDevice({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const refresh = useRefresh(trpc.configurationManager.searchDevices.pathFilter());
  const [draft, change] = useDraft(EMPTY);
  const queryOptions = { limit: OFFERED };
  const types = useQuery(trpc.automationgateway.listDeviceTypes.queryOptions({ queryOptions })).data;
  const credentials = useQuery(trpc.automationgateway.listCredentials.queryOptions({ queryOptions })).data;
  const { type, credential } = draft;
  const name = draft.name.trim();
  const host = draft.host.trim();
  const own = {
    ...(draft.username && { username: draft.username }),
    ...(draft.password && { password: draft.password }),
    ...(draft.enablePassword && { enablePassword: draft.enablePassword }),
  };
  const tags = wordsIn(draft.tags);
  return (
    <FormDialog
      title="Add device"
      action="Add device"
      size="wide"
      isOpen
      onClose={onClose}
      isReady={name !== '' && host !== '' && type !== ''}
      onSubmit={async () => {
        await api.automationgateway.createHost.mutate({
          kind: 'cli',
          host: {
            name,
            host,
            port: Number(draft.port),
            device_type: type,
            ...(credential ? { credential } : own),
            ...(tags.length > 0 && { tags }),
            ...(draft.site.trim() && { site: draft.site.trim() }),
          },
        });
        showToast(`${visibleText(name)} is in the inventory. Test whether it responds before you use it.`);
        await refresh();
        await navigate({ to: devicePath(name) });
      }}
    >
      <TextFields
        draft={draft}
        onChange={change}
        fields={[
          { key: 'name', label: 'Name', isRequired: true, autoFocus: true },
          { key: 'host', label: 'Address', hint: 'An IP address or a DNS name', isRequired: true },
          { key: 'port', label: 'SSH port', type: 'number', min: 1, max: 65_535 },
        ]}
      />
      <SelectField
        label="Device type"
        value={type}
        onChange={(next) => change({ type: next })}
        choices={[
          { value: '', label: 'Choose one' },
          ...(types?.results ?? []).map(({ device_type: value, description }) => ({
            value,
            label: `${value}: ${description}`,
          })),
        ]}
      />
      <SelectField
        label="Sign in with"
        value={credential}
        onChange={(next) => change({ credential: next })}
        choices={[
          { value: '', label: 'Its own username and password' },
          ...(credentials?.results ?? []).map(({ name: value }) => ({ value, label: visibleText(value) })),
        ]}
      />
      {credential === '' && (
        <TextFields
          draft={draft}
          onChange={change}
          fields={[
            { key: 'username', label: 'Username on the device', autoComplete: 'off' },
            { key: 'password', label: 'Password on the device', ...secretField(false) },
            { key: 'enablePassword', label: 'Enable password', ...secretField(false) },
          ]}
        />
      )}
      <TextFields
        draft={draft}
        onChange={change}
        fields={[
          { key: 'tags', label: 'Tags', hint: 'Separated by commas' },
          { key: 'site', label: 'Site' },
        ]}
      />
    </FormDialog>
  );
}
