import { useNavigate } from '@tanstack/react-router';
import { api, trpc } from '~/api/client.ts';
import { devicePath } from '~/app/paths.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { TextFields } from '~/ui/form/text-fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { wordsIn } from '~/ui/inputs/lines.ts';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { NO_LOGIN, SECRET_FIELDS } from './host-draft.ts';
import { DeviceTypeField, LoginFields } from './login-fields.tsx';

const EMPTY = { ...NO_LOGIN, name: '', host: '', port: '22', type: '', tags: '', site: '' };

/** Adds one device that is reached over SSH to the inventory. */
export function AddDevice({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const refresh = useRefresh(trpc.configurationManager.searchDevices.pathFilter());
  const [draft, change] = useDraft(EMPTY);
  const { type, credential } = draft;
  const name = draft.name.trim();
  const host = draft.host.trim();
  const own = Object.fromEntries(
    (['username', ...SECRET_FIELDS] as const)
      .filter((field) => draft[field] !== '')
      .map((field) => [field, draft[field]]),
  );
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
        showToast(`${name} is in the inventory. Test whether it responds before you use it.`);
        await refresh();
        await navigate(devicePath(name));
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
      <DeviceTypeField value={type} onChange={(next) => change({ type: next })} />
      <LoginFields draft={draft} onChange={change} kind="cli" />
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
