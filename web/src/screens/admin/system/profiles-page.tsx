import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Inputs, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { profilePath } from '~/app/paths.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { DocumentDialog } from '~/ui/form/document-dialog.tsx';
import { TextFields } from '~/ui/form/text-fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { NamedList } from '~/ui/named-list.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { nameText } from '~/ui/visible-text.ts';
import { inAdmin } from '../admin-frame.tsx';

type Profile = Outputs['profiles']['getProfiles']['results'][number];
type Imported = Inputs['profiles']['importProfile']['properties'];

const COLUMNS: Column<Profile>[] = [
  {
    key: 'id',
    header: 'Name',
    cell: ({ profile }) => <Link {...profilePath(profile.id)}>{profile.id}</Link>,
    field: 'profile.id',
  },
  {
    key: 'state',
    header: 'State',
    cell: ({ metadata }) => (
      <Badge tone={metadata.isActive ? 'good' : 'neutral'}>
        {metadata.isActive ? 'active' : 'not active'}
      </Badge>
    ),
    field: 'metadata.isActive:Active',
  },
  {
    key: 'description',
    header: 'Description',
    cell: ({ profile }) => profile.description ?? '',
    field: 'profile.description',
  },
];

type OpenDialog = { kind: 'import' } | { kind: 'copy'; profile: Profile['profile'] };

/** The profiles: the settings of the service, one of which is active. */
export function ProfilesPage() {
  const may = useMay();
  const refresh = useRefresh(trpc.profiles.getProfiles.pathFilter());
  const [opened, setOpened] = useState<OpenDialog>();
  const close = () => setOpened(undefined);
  return (
    <>
      <NamedList
        title="Profiles"
        frame={inAdmin('Profiles')}
        columns={COLUMNS}
        rowKey={({ profile }) => profile.id}
        nameOf={({ profile }) => nameText(profile.id)}
        textField="id"
        procedure={trpc.profiles.getProfiles}
        read={(queryOptions) => api.profiles.getProfiles.query({ queryOptions })}
        empty={{ title: 'There is no profile', text: 'The service creates one when it starts.' }}
        actions={
          may('profiles.importProfile') && (
            <Button onPress={() => setOpened({ kind: 'import' })}>Import</Button>
          )
        }
        create={{
          label: 'Create profile',
          needs: 'profiles.createProfile',
          dialog: (onClose) => <CreateProfile onClose={onClose} />,
        }}
        actionsOf={({ profile }) => [
          {
            label: 'Copy',
            needs: 'profiles.createProfile',
            onAction: () => setOpened({ kind: 'copy', profile }),
          },
        ]}
      />
      {opened?.kind === 'import' && (
        <DocumentDialog
          title="Import profile"
          action="Import profile"
          onClose={close}
          onSubmit={async (document) => {
            const { message } = await api.profiles.importProfile.mutate({ properties: document as Imported });
            await refresh();
            showToast(message);
          }}
        >
          <p className="muted">The JSON of an export. Its secrets are set afterwards.</p>
        </DocumentDialog>
      )}
      {opened?.kind === 'copy' && <CreateProfile copied={opened.profile} onClose={close} />}
    </>
  );
}

type CreateProps = { copied?: Profile['profile']; onClose: () => void };

/** Creates a profile that is not active yet: with the settings of another one, or with the usual ones. */
function CreateProfile({ copied, onClose }: CreateProps) {
  const refresh = useRefresh(trpc.profiles.getProfiles.pathFilter());
  const [draft, change] = useDraft({ id: '', description: copied?.description ?? '' });
  return (
    <FormDialog
      title={copied ? `Copy ${copied.id}` : 'Create profile'}
      action={copied ? 'Copy profile' : 'Create profile'}
      isOpen
      onClose={onClose}
      isReady={draft.id.trim() !== ''}
      onSubmit={async () => {
        const properties = { ...copied, ...draft, id: draft.id.trim() };
        const { message } = await (copied
          ? api.profiles.importProfile.mutate({ properties })
          : api.profiles.createProfile.mutate({ properties }));
        await refresh();
        showToast(message);
      }}
    >
      <TextFields
        draft={draft}
        onChange={change}
        fields={[
          { key: 'id', label: 'Name', isRequired: true, autoFocus: true },
          { key: 'description', label: 'Description' },
        ]}
      />
      <p className="muted">
        It is not active yet. {copied && 'Its secrets are not copied: set them before it is activated.'}
      </p>
    </FormDialog>
  );
}
