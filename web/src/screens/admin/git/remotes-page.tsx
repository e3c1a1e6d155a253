import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useRunEvents } from '~/api/live/use-runs.ts';
import { gitRemotePath } from '~/app/paths.ts';
import { Badge } from '~/ui/badge.tsx';
import { NamedList } from '~/ui/named-list.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { CHANGED } from '~/ui/table/document-columns.tsx';
import { Time } from '~/ui/time.tsx';
import { inAdmin } from '../admin-frame.tsx';
import { kindsText, RemoteForm } from './remote-form.tsx';

type Remote = Outputs['git']['listRemotes']['results'][number];
type Failure = Outputs['health']['getConnections']['results'][number];

/** The columns of the list; the state needs the remotes whose latest run failed, by id. */
const columnsWith = (failures: ReadonlyMap<string, Failure>): Column<Remote>[] => [
  {
    key: 'name',
    header: 'Name',
    sortField: 'name',
    cell: ({ _id, name }) => <Link {...gitRemotePath(_id)}>{name}</Link>,
    field: 'name',
  },
  {
    key: 'state',
    header: 'State',
    wraps: ({ _id }) => failures.has(_id),
    cell: ({ _id, enabled }) => <RemoteState isEnabled={enabled !== false} failure={failures.get(_id)} />,
    field: 'enabled:Enabled',
  },
  { key: 'url', header: 'Repository', cell: ({ url }) => url, field: 'url' },
  {
    key: 'branch',
    header: 'Branch',
    cell: ({ branch }) => branch,
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
  { ...CHANGED, key: 'updated' },
];

function RemoteState({ isEnabled, failure }: { isEnabled: boolean; failure: Failure | undefined }) {
  if (!isEnabled) return <Badge tone="neutral">disabled</Badge>;
  if (!failure) return <Badge tone="good">enabled</Badge>;
  return (
    <>
      <Badge tone="bad">failing</Badge> since <Time value={failure.since} />: {failure.lastError ?? ''}
    </>
  );
}

/** Git repositories that documents are pushed to and pulled from. */
export function RemotesPage() {
  const { data: failing } = useQuery(trpc.health.getConnections.queryOptions({}));
  useRunEvents('gitRun', trpc.health.getConnections.queryFilter());
  const columns = useMemo(() => {
    const remotes = failing?.results.filter(({ kind }) => kind === 'git remote') ?? [];
    return columnsWith(new Map(remotes.map((one) => [one.id, one])));
  }, [failing]);
  return (
    <NamedList
      title="Git remotes"
      frame={inAdmin('Git')}
      columns={columns}
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
