import { Link } from '@tanstack/react-router';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { profilePath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Badge } from '~/ui/badge.tsx';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { listInput } from '~/ui/table/list-input.ts';
import { ListView } from '~/ui/table/list-page.tsx';
import { visibleText } from '~/ui/visible-text.ts';
import { AdminFrame } from '../admin-frame.tsx';

type Profile = Outputs['profiles']['getProfiles']['results'][number];

const COLUMNS: Column<Profile>[] = [
  {
    key: 'id',
    header: 'Name',
    cell: ({ profile }) => <Link to={profilePath(profile.id)}>{visibleText(profile.id)}</Link>,
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
    cell: ({ profile }) => visibleText(profile.description ?? ''),
    field: 'profile.description',
  },
];

/** The profiles: the settings of the service, one of which is active. */
export function ProfilesPage() {
  const [url] = useUrlState();
  const input = listInput(url, 'id');
  return (
    <AdminFrame current="Profiles">
      <ListView
        title="Profiles"
        columns={COLUMNS}
        rowKey={({ profile }) => profile.id}
        path={trpc.profiles.getProfiles.pathKey()}
        input={input}
        read={async (skip, limit) => {
          const { results, total } = await api.profiles.getProfiles.query({
            queryOptions: { ...input, skip, limit },
          });
          return { rows: results, total };
        }}
        empty={<Empty title="There is no profile" />}
      />
    </AdminFrame>
  );
}
