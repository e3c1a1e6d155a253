import { api, type Inputs, type Outputs, trpc } from '~/api/client.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Checkbox, TextArea, TextField } from '~/ui/fields.tsx';
import { CertificatesField, secretField, TextFields } from '~/ui/form/text-fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { namesIn } from '~/ui/inputs/lines.ts';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';

type Channel = Outputs['notifications']['listChannels']['results'][number];
type NewChannel = Inputs['notifications']['createChannel']['channel'];
type Secret = 'secret' | 'token' | 'webhookUrl' | 'routingKey' | 'password';

const TYPES: { value: NewChannel['type']; label: string }[] = [
  { value: 'webhook', label: 'Webhook' },
  { value: 'smtp', label: 'Mail (SMTP)' },
  { value: 'slack', label: 'Slack' },
  { value: 'teams', label: 'Microsoft Teams' },
  { value: 'pagerduty', label: 'PagerDuty' },
];

/** The secrets of each type, with their labels. */
const SECRETS: Record<NewChannel['type'], readonly { key: Secret; label: string }[]> = {
  webhook: [
    { key: 'secret', label: 'Key of the signature' },
    { key: 'token', label: 'Bearer token' },
  ],
  smtp: [{ key: 'password', label: 'Password of the mail account' }],
  slack: [{ key: 'webhookUrl', label: 'URL of the incoming webhook' }],
  teams: [{ key: 'webhookUrl', label: 'URL of the incoming webhook' }],
  pagerduty: [{ key: 'routingKey', label: 'Integration key' }],
};

const draftOf = (channel: Channel | undefined) => ({
  name: channel?.name ?? '',
  type: channel?.type ?? ('webhook' as NewChannel['type']),
  isEnabled: channel?.enabled ?? true,
  url: channel?.url ?? '',
  host: channel?.host ?? '',
  port: channel?.port === undefined ? '' : String(channel.port),
  security: channel?.security ?? ('starttls' as const),
  username: channel?.username ?? '',
  from: channel?.from ?? '',
  to: (channel?.to ?? []).join('\n'),
  attempts: channel?.retry?.attempts === undefined ? '' : String(channel.retry.attempts),
  firstDelay: channel?.retry?.firstDelaySeconds === undefined ? '' : String(channel.retry.firstDelaySeconds),
  ca: channel?.tls?.ca ?? '',
  isAnyCertificate: channel?.tls?.rejectUnauthorized === false,
  secret: '',
  token: '',
  webhookUrl: '',
  routingKey: '',
  password: '',
});

type Draft = ReturnType<typeof draftOf>;

/** Secrets without which no channel of their type works. */
const REQUIRED: ReadonlySet<Secret> = new Set<Secret>(['secret', 'webhookUrl', 'routingKey']);

/** Returns the settings of the type that is chosen; a secret that was not typed is left as it is stored. */
function settingsOf(draft: Draft) {
  const typed = SECRETS[draft.type]
    .filter(({ key }) => draft[key] !== '')
    .map(({ key }) => [key, draft[key]]);
  const hasUrl = draft.type === 'webhook' || draft.type === 'pagerduty';
  return {
    enabled: draft.isEnabled,
    ...(hasUrl && draft.url.trim() && { url: draft.url.trim() }),
    ...(draft.type === 'smtp' && {
      host: draft.host.trim(),
      ...(draft.port && { port: Number(draft.port) }),
      security: draft.security,
      ...(draft.username && { username: draft.username }),
      from: draft.from.trim(),
      to: namesIn(draft.to),
    }),
    ...(Object.fromEntries(typed) as Partial<Record<Secret, string>>),
    retry: {
      ...(draft.attempts && { attempts: Number(draft.attempts) }),
      ...(draft.firstDelay && { firstDelaySeconds: Number(draft.firstDelay) }),
    },
    tls: {
      ...(draft.ca.trim() && { ca: draft.ca.trim() }),
      ...(draft.isAnyCertificate && { rejectUnauthorized: false }),
    },
  };
}

/** Creates a channel, or changes one; secrets are never shown, and kept while their fields stay empty. */
export function ChannelForm({ channel, onClose }: { channel?: Channel; onClose: () => void }) {
  const refresh = useRefresh(trpc.notifications.listChannels.pathFilter());
  const [draft, change] = useDraft(() => draftOf(channel));
  const name = draft.name.trim();
  return (
    <FormDialog
      title={channel ? 'Change channel' : 'Create channel'}
      action={channel ? 'Save' : 'Create channel'}
      size="wide"
      isOpen
      onClose={onClose}
      isReady={name !== ''}
      onSubmit={async () => {
        const settings = { name, ...settingsOf(draft) };
        if (channel) await api.notifications.updateChannel.mutate({ id: channel._id, channel: settings });
        else await api.notifications.createChannel.mutate({ channel: { ...settings, type: draft.type } });
        await refresh();
      }}
    >
      <div className="columns narrow">
        <TextField
          label="Name"
          value={draft.name}
          onChange={(text) => change({ name: text })}
          isRequired
          autoFocus
        />
        {channel ? (
          <TextField label="Type" value={draft.type} onChange={() => undefined} isReadOnly />
        ) : (
          <SelectField
            label="Type"
            value={draft.type}
            onChange={(type) => change({ type })}
            choices={TYPES}
          />
        )}
      </div>
      {(draft.type === 'webhook' || draft.type === 'pagerduty') && (
        <TextField
          label="URL"
          hint={draft.type === 'pagerduty' ? 'Default: that of PagerDuty' : undefined}
          type="url"
          value={draft.url}
          onChange={(url) => change({ url })}
          isRequired={draft.type === 'webhook'}
        />
      )}
      {draft.type === 'smtp' && <MailFields draft={draft} onChange={change} />}
      <TextFields
        draft={draft}
        onChange={change}
        fields={SECRETS[draft.type].map(({ key, label }) => ({
          key,
          label,
          isRequired: REQUIRED.has(key) && !channel?.[key],
          ...secretField(channel?.[key]),
        }))}
      />
      <details>
        <summary>Retries and certificates</summary>
        <div className="column">
          <TextFields
            draft={draft}
            onChange={change}
            fields={[
              { key: 'attempts', label: 'Attempts', hint: 'Default: 10', type: 'number', min: 1, max: 20 },
              {
                key: 'firstDelay',
                label: 'Seconds after the first failure',
                hint: 'Doubles each time. Default: 5',
                type: 'number',
              },
            ]}
          />
          <CertificatesField value={draft.ca} onChange={(ca) => change({ ca })} />
          <Checkbox
            label="Accept any certificate (for tests)"
            isChecked={draft.isAnyCertificate}
            onChange={(isAnyCertificate) => change({ isAnyCertificate })}
          />
        </div>
      </details>
      <Checkbox
        label="Enabled; otherwise its deliveries wait"
        isChecked={draft.isEnabled}
        onChange={(isEnabled) => change({ isEnabled })}
      />
    </FormDialog>
  );
}

function MailFields({ draft, onChange }: { draft: Draft; onChange: (change: Partial<Draft>) => void }) {
  return (
    <>
      <TextFields
        draft={draft}
        onChange={onChange}
        fields={[
          { key: 'host', label: 'Mail server', isRequired: true },
          {
            key: 'port',
            label: 'Port',
            hint: 'Default: 587, or 465 with TLS',
            type: 'number',
            min: 1,
            max: 65535,
          },
          {
            key: 'username',
            label: 'Mail account',
            hint: 'Leave empty for no authentication',
            autoComplete: 'off',
          },
          { key: 'from', label: 'Sender', isRequired: true },
        ]}
      />
      <SelectField
        label="Encryption"
        value={draft.security}
        onChange={(security) => onChange({ security })}
        choices={[
          { value: 'starttls', label: 'STARTTLS' },
          { value: 'tls', label: 'Implicit TLS' },
          { value: 'none', label: 'None' },
        ]}
      />
      <TextArea
        label="Receivers"
        hint="One address per line"
        rows={3}
        value={draft.to}
        onChange={(to) => onChange({ to })}
      />
    </>
  );
}
