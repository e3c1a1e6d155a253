import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { gitRemotePath } from '~/app/paths.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Checkbox, TextArea, TextField } from '~/ui/fields.tsx';
import { CertificatesField, secretField, TextFields } from '~/ui/form/text-fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { CheckList } from '~/ui/inputs/check-list.tsx';
import { namesIn } from '~/ui/inputs/lines.ts';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { draftOf, scheduleOf } from '~/ui/schedule/schedule-draft.ts';
import { ScheduleField } from '~/ui/schedule/schedule-field.tsx';

type Remote = Outputs['git']['getRemote'];
type Kind = Remote['kinds'][number];

const KINDS: readonly { id: Kind; name: string }[] = [
  { id: 'goldenTrees', name: 'golden configs' },
  { id: 'commandTemplates', name: 'command templates' },
  { id: 'workflows', name: 'workflows' },
  { id: 'projects', name: 'projects' },
  { id: 'deviceBackups', name: 'device backups' },
];

/** Returns kinds of documents in words. */
export const kindsText = (kinds: readonly Kind[]): string =>
  kinds.map((kind) => KINDS.find(({ id }) => id === kind)?.name ?? kind).join(', ');

const draftOfRemote = (remote: Remote | undefined) => ({
  name: remote?.name ?? '',
  url: remote?.url ?? '',
  branch: remote?.branch ?? 'main',
  path: remote?.path ?? '',
  kinds: new Set<string>(remote?.kinds ?? ['goldenTrees']),
  direction: remote?.direction ?? ('both' as const),
  username: remote?.credential?.username ?? '',
  token: '',
  privateKey: '',
  hostKeys: (remote?.hostKeys ?? []).join('\n'),
  ca: remote?.ca ?? '',
  isEnabled: remote?.enabled ?? true,
});

type Draft = ReturnType<typeof draftOfRemote>;

/** Returns how the repository at an address is reached; undefined while the address does not say it yet. */
function protocolOf({ url }: Draft): 'https' | 'ssh' | undefined {
  if (/^https?:/i.test(url.trim())) return 'https';
  return /^ssh:|^[^/:]+@[^/:]+:/i.test(url.trim()) ? 'ssh' : undefined;
}

/** Returns how a draft says that the service signs in. */
function signInOf(draft: Draft, remote: Remote | undefined) {
  switch (protocolOf(draft)) {
    case 'https':
      return {
        credential: {
          ...(draft.username && { username: draft.username }),
          token: draft.token || remote?.credential?.token || null,
        },
        ca: draft.ca.trim() || null,
      };
    case 'ssh':
      return {
        credential: { privateKey: draft.privateKey || remote?.credential?.privateKey || null },
        ca: null,
        hostKeys: namesIn(draft.hostKeys),
      };
    default:
      return {};
  }
}

/** Returns what a draft says of its remote, without the schedule; secrets that were not typed stay those that are stored. */
const bodyOf = (draft: Draft, remote: Remote | undefined) => ({
  name: draft.name.trim(),
  url: draft.url.trim(),
  branch: draft.branch.trim(),
  path: draft.path.trim(),
  kinds: KINDS.map(({ id }) => id).filter((kind) => draft.kinds.has(kind)),
  direction: draft.direction,
  enabled: draft.isEnabled,
  ...signInOf(draft, remote),
});

/** Creates a remote, or changes one; token and key are never shown, and kept while their fields stay empty. */
export function RemoteForm({ remote, onClose }: { remote?: Remote; onClose: () => void }) {
  const navigate = useNavigate();
  const refresh = useRefresh(trpc.git.listRemotes.pathFilter(), trpc.git.getRemote.pathFilter());
  const [draft, change] = useDraft(() => draftOfRemote(remote));
  const [schedule, changeSchedule] = useDraft(() => draftOf(remote?.schedule));
  const [scheduled, setScheduled] = useState(remote?.scheduledAction ?? ('push' as const));
  const body = {
    ...bodyOf(draft, remote),
    schedule: scheduleOf(schedule) ?? null,
    scheduledAction: draft.direction === 'both' ? scheduled : draft.direction,
  };
  return (
    <FormDialog
      title={remote ? 'Change remote' : 'Create remote'}
      action={remote ? 'Save' : 'Create remote'}
      size="wide"
      isOpen
      onClose={onClose}
      isReady={body.name !== '' && body.url !== '' && body.branch !== '' && body.kinds.length > 0}
      onSubmit={async () => {
        if (remote) await api.git.updateRemote.mutate({ id: remote._id, remote: body });
        else {
          const { data } = await api.git.createRemote.mutate({ remote: body });
          await navigate(gitRemotePath(data._id));
        }
        await refresh();
      }}
    >
      <p className="muted">Pushes and pulls run with the rights of the account that last saved the remote.</p>
      <div className="columns narrow">
        <TextField
          label="Name"
          value={draft.name}
          onChange={(name) => change({ name })}
          isRequired
          autoFocus
        />
        <SelectField
          label="Direction"
          value={draft.direction}
          onChange={(direction) => change({ direction })}
          choices={[
            { value: 'both', label: 'Push and pull' },
            { value: 'push', label: 'Push only' },
            { value: 'pull', label: 'Pull only' },
          ]}
        />
      </div>
      <TextField
        label="Repository"
        hint="https://host/path, ssh://user@host/path or user@host:path"
        value={draft.url}
        onChange={(url) => change({ url })}
        isRequired
      />
      <TextFields
        draft={draft}
        onChange={change}
        fields={[
          { key: 'branch', label: 'Branch', isRequired: true },
          { key: 'path', label: 'Folder', hint: 'Default: the top of the repository' },
        ]}
      />
      <CheckList
        label="Documents"
        items={KINDS}
        chosen={draft.kinds}
        onChange={(chosen) => change({ kinds: chosen })}
      />
      <CredentialFields remote={remote} draft={draft} onChange={change} />
      <ScheduleField draft={schedule} onChange={changeSchedule} />
      {schedule.kind !== 'none' && draft.direction === 'both' && (
        <SelectField
          label="Scheduled runs"
          value={scheduled}
          onChange={setScheduled}
          choices={[
            { value: 'push', label: 'Push' },
            { value: 'pull', label: 'Pull' },
          ]}
        />
      )}
      <Checkbox label="Enabled" isChecked={draft.isEnabled} onChange={(isEnabled) => change({ isEnabled })} />
    </FormDialog>
  );
}

/** How the service signs in at the repository: by a token over HTTPS, by a key over SSH. */
function CredentialFields({
  remote,
  draft,
  onChange,
}: {
  remote: Remote | undefined;
  draft: Draft;
  onChange: (changes: Partial<Draft>) => void;
}) {
  const protocol = protocolOf(draft);
  if (!protocol)
    return (
      <p className="muted">
        The address decides how the service signs in: a token over HTTPS, a key over SSH.
      </p>
    );
  if (protocol === 'https')
    return (
      <>
        <TextFields
          draft={draft}
          onChange={onChange}
          fields={[
            { key: 'username', label: 'Account of the token', hint: 'Default: git', autoComplete: 'off' },
            { key: 'token', label: 'Token', ...secretField(remote?.credential?.token) },
          ]}
        />
        <CertificatesField value={draft.ca} onChange={(ca) => onChange({ ca })} />
      </>
    );
  return (
    <div className="columns">
      <TextArea
        label="Private key"
        hint={secretField(remote?.credential?.privateKey).hint}
        rows={4}
        isCode
        value={draft.privateKey}
        onChange={(privateKey) => onChange({ privateKey })}
      />
      <TextArea
        label="Trusted host keys"
        hint="One per line: <type> <key>"
        rows={4}
        isCode
        value={draft.hostKeys}
        onChange={(hostKeys) => onChange({ hostKeys })}
      />
    </div>
  );
}
