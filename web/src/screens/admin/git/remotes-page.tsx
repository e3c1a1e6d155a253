import { Link } from '@tanstack/react-router';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { gitRemotePath } from '~/app/paths.ts';
import { Badge } from '~/ui/badge.tsx';
import { NamedList } from '~/ui/named-list.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { Time } from '~/ui/time.tsx';
import { visibleText } from '~/ui/visible-text.ts';
import { inAdmin } from '../admin-frame.tsx';
import { kindsText, RemoteForm } from './remote-form.tsx';

type Remote = Outputs['git']['listRemotes']['results'][number];

const COLUMNS: Column<Remote>[] = [
  {
    key: 'name',
    header: 'Name',
    sortField: 'name',
    cell: ({ _id, name }) => <Link to={gitRemotePath(_id)}>{visibleText(name)}</Link>,
    field: 'name',
  },
  { key: 'url', header: 'Repository', cell: ({ url }) => visibleText(url), field: 'url' },
  {
    key: 'branch',
    header: 'Branch',
    cell: ({ branch }) => visibleText(branch),
    field: 'branch',
  },
  {
    key: 'direction',
    header: 'Direction',
    cell: ({ direction }) => direction,
    field: 'direction',
  },
  {
    key: 'kinds',
    header: 'Documents',
    cell: ({ kinds }) => kindsText(kinds),
    field: 'kinds',
  },
  {
    key: 'state',
    header: 'State',
    cell: ({ enabled }) => (
      <Badge tone={enabled === false ? 'neutral' : 'good'}>
        {enabled === false ? 'disabled' : 'enabled'}
      </Badge>
    ),
    field: 'enabled:Enabled',
  },
  {
    key: 'updated',
    header: 'Changed',
    cell: ({ lastUpdated }) => <Time value={lastUpdated} />,
    field: 'lastUpdated',
  },
];

/** Git repositories that documents are pushed to and pulled from. */
export function RemotesPage() {
  return (
    <NamedList
      title="Git remotes"
      frame={inAdmin('Git')}
      columns={COLUMNS}
      rowKey={({ _id }) => _id}
      procedure={trpc.git.listRemotes}
      read={(queryOptions) => api.git.listRemotes.query({ queryOptions })}
      defaultSort={{ field: 'name', order: 1 }}
      empty={{
        title: 'There is no Git remote yet',
        text: 'A remote keeps golden configs, templates, workflows, projects and backups in a Git repository.',
      }}
      create={{
        label: 'Create remote',
        needs: 'git.createRemote',
        dialog: (onClose) => <RemoteForm onClose={onClose} />,
      }}
    />
  );
}
