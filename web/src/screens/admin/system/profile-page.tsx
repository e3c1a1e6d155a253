import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Inputs, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { usePathParam } from '~/app/routes.tsx';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { DiffView } from '~/ui/code/editor.tsx';
import { JsonView } from '~/ui/code/json-view.tsx';
import { StampedDocument } from '~/ui/form/stamped-document.tsx';
import { LinkTabs, useTab } from '~/ui/link-tabs.tsx';
import { ConfirmDialog, FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { LoadedPage } from '~/ui/page.tsx';
import { QueryView } from '~/ui/states.tsx';
import { AdminPath } from '../admin-frame.tsx';

type Profile = Outputs['profiles']['getProfile'];
type Sent = Inputs['profiles']['updateProfile']['properties'];

const TABS = [
  { key: 'settings', title: 'Settings' },
  { key: 'difference', title: 'Compare with the active profile' },
] as const;

/** One profile: its settings, what differs from the active one; it is changed, activated and deleted. */
export function ProfilePage() {
  const id = usePathParam('profileId');
  const profile = useQuery(trpc.profiles.getProfile.queryOptions({ id }));
  const tab = useTab(TABS.map(({ key }) => key));
  return (
    <LoadedPage
      query={profile}
      title={id}
      path={<AdminPath to="/admin/profiles" label="Profiles" />}
      actions={(data) => <Actions profile={data} />}
    >
      {(data) => (
        <>
          <p>
            <Badge tone={data.metadata.isActive ? 'good' : 'neutral'}>
              {data.metadata.isActive ? 'active' : 'not active'}
            </Badge>{' '}
            {data.profile.description ?? ''}
          </p>
          <LinkTabs label="About this profile" tabs={TABS} />
          {tab === 'settings' ? (
            <JsonView label="Settings" value={data.profile} fileName={`${id}.json`} />
          ) : (
            <Difference profile={data} />
          )}
        </>
      )}
    </LoadedPage>
  );
}

function Difference({ profile }: { profile: Profile }) {
  const all = useQuery(trpc.profiles.getProfiles.queryOptions({ queryOptions: { limit: 100 } }));
  return (
    <QueryView query={all} loading="Loading the active profile">
      {({ results }) => {
        const active = results.find(({ metadata }) => metadata.isActive);
        if (profile.metadata.isActive) return <p>This is the active profile.</p>;
        if (!active) return <p>No profile is active.</p>;
        const [before, after] = [active.profile, profile.profile].map((one) => JSON.stringify(one, null, 2));
        return <DiffView label="Settings" before={before ?? ''} after={after ?? ''} />;
      }}
    </QueryView>
  );
}

type OpenDialog = 'activate' | 'change' | 'delete';

function Actions({ profile }: { profile: Profile }) {
  const may = useMay();
  const navigate = useNavigate();
  const refresh = useRefresh(trpc.profiles.getProfile.pathFilter(), trpc.profiles.getProfiles.pathFilter());
  const [opened, setOpened] = useState<OpenDialog>();
  const close = () => setOpened(undefined);
  const { id } = profile.profile;
  const { isActive } = profile.metadata;
  return (
    <>
      {may('profiles.deleteProfile') && !isActive && (
        <Button variant="danger" onPress={() => setOpened('delete')}>
          Delete
        </Button>
      )}
      {may('profiles.updateProfile') && <Button onPress={() => setOpened('change')}>Change</Button>}
      {may('profiles.activateProfile') && !isActive && (
        <Button variant="primary" onPress={() => setOpened('activate')}>
          Activate
        </Button>
      )}
      {opened === 'change' && (
        <StampedDocument
          title={`Change ${id}`}
          action="Save profile"
          read={async (options) => (await api.profiles.getProfile.query({ id }, options)).profile}
          save={async (document, options) => {
            const { message } = await api.profiles.updateProfile.mutate(
              { id, properties: document as Sent },
              options,
            );
            await refresh();
            showToast(message);
          }}
          onClose={close}
        >
          <p className="muted">
            Secrets are shown as placeholders such as &lt;PASSWORD&gt;, which keep what is stored. A section
            that is left out stays as it is.{isActive && ' Some settings apply only after the next start.'}
          </p>
        </StampedDocument>
      )}
      {opened === 'activate' && (
        <FormDialog
          title="Activate profile"
          action="Activate"
          isOpen
          onClose={close}
          onSubmit={async () => {
            await api.profiles.activateProfile.mutate({ id });
            await refresh();
          }}
        >
          <p>The settings of “{id}” replace the active ones. Compare them first.</p>
        </FormDialog>
      )}
      {opened === 'delete' && (
        <ConfirmDialog
          action="Delete profile"
          onClose={close}
          onConfirm={async () => {
            const { message } = await api.profiles.deleteProfile.mutate({ id });
            showToast(message);
            await navigate({ to: '/admin/profiles' });
            await refresh();
          }}
        >
          The profile “{id}” is deleted with its settings and their secrets. The active profile stays in use.
        </ConfirmDialog>
      )}
    </>
  );
}
