import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { usePathParam } from '~/app/routes.tsx';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { DiffView } from '~/ui/code/editor.tsx';
import { JsonView } from '~/ui/code/json-view.tsx';
import { LinkTabs, useTab } from '~/ui/link-tabs.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { LoadedPage } from '~/ui/page.tsx';
import { QueryView } from '~/ui/states.tsx';
import { visibleText } from '~/ui/visible-text.ts';
import { AdminPath } from '../admin-frame.tsx';

type Profile = Outputs['profiles']['getProfile'];

const TABS = [
  { key: 'settings', title: 'Settings' },
  { key: 'difference', title: 'Difference to the active one' },
] as const;

/** One profile: its settings, what differs from the active one, and its activation. */
export function ProfilePage() {
  const id = usePathParam('profileId');
  const profile = useQuery(trpc.profiles.getProfile.queryOptions({ id }));
  const tab = useTab(TABS.map(({ key }) => key));
  return (
    <LoadedPage
      query={profile}
      title={id}
      path={<AdminPath to="/admin/profiles" label="Profiles" />}
      actions={(data) => <Activate profile={data} />}
    >
      {(data) => (
        <>
          <p>
            <Badge tone={data.metadata.isActive ? 'good' : 'neutral'}>
              {data.metadata.isActive ? 'active' : 'not active'}
            </Badge>{' '}
            {visibleText(data.profile.description ?? '')}
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

function Activate({ profile }: { profile: Profile }) {
  const may = useMay();
  const refresh = useRefresh(trpc.profiles.getProfile.pathFilter(), trpc.profiles.getProfiles.pathFilter());
  const [isAsking, setAsking] = useState(false);
  const { id } = profile.profile;
  if (profile.metadata.isActive || !may('profiles.activateProfile')) return null;
  return (
    <>
      <Button variant="primary" onPress={() => setAsking(true)}>
        Activate
      </Button>
      <FormDialog
        title="Activate profile"
        action="Activate"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onSubmit={async () => {
          await api.profiles.activateProfile.mutate({ id });
          await refresh();
        }}
      >
        <p>
          The settings of “{visibleText(id)}” take the place of those that are active now. See the difference
          first.
        </p>
      </FormDialog>
    </>
  );
}
