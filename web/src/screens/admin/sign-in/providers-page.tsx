import { Link } from '@tanstack/react-router';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { providerPath } from '~/app/paths.ts';
import { Badge } from '~/ui/badge.tsx';
import { NamedList } from '~/ui/named-list.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { Time } from '~/ui/time.tsx';
import { inAdmin } from '../admin-frame.tsx';
import { ProviderForm } from './provider-form.tsx';

type Provider = Outputs['signIn']['listProviders']['results'][number];

/** Whether a provider is used, and how the last contact with it ended. */
export function ProviderState({ provider: { enabled, status } }: { provider: Provider }) {
  if (enabled === false) return <Badge>disabled</Badge>;
  if (status.ok === null) return <Badge>not contacted yet</Badge>;
  return (
    <Badge tone={status.ok ? 'good' : 'bad'}>{status.ok ? 'usable' : (status.reason ?? 'failed')}</Badge>
  );
}

const COLUMNS: Column<Provider>[] = [
  {
    key: 'name',
    header: 'Name',
    cell: ({ _id, name }) => <Link {...providerPath(_id)}>{name}</Link>,
    field: 'name',
  },
  {
    key: 'title',
    header: 'On the sign-in page',
    cell: ({ title, name }) => title ?? name,
    field: 'title',
  },
  {
    key: 'type',
    header: 'Type',
    cell: ({ type }) => (type === 'oidc' ? 'OpenID Connect' : 'LDAP'),
    field: 'type',
  },
  {
    key: 'state',
    header: 'State',
    cell: (provider) => <ProviderState provider={provider} />,
    field: 'enabled:Enabled',
  },
  {
    key: 'mapping',
    header: 'Mapped groups',
    isNumber: true,
    cell: ({ mapping = [] }) => mapping.length,
    field: 'mapping.length',
  },
  {
    key: 'source',
    header: 'Configured by',
    cell: ({ source }) => (source === 'environment' ? 'variables of the environment' : 'this list'),
    field: 'source',
  },
  {
    key: 'contact',
    header: 'Last contact',
    cell: ({ status }) => <Time value={status.time} />,
    field: 'status.time',
  },
];

/** The directories in which users sign in. */
export function ProvidersPage() {
  return (
    <NamedList
      title="Sign-in providers"
      frame={inAdmin('Sign-in')}
      columns={COLUMNS}
      rowKey={({ _id }) => _id}
      procedure={trpc.signIn.listProviders}
      // The procedure returns all of them at once: at most 50 exist.
      read={async ({ skip }) => {
        const { results, total } = await api.signIn.listProviders.query({});
        return { results: skip === 0 ? results : [], total };
      }}
      hasTextFilter={false}
      empty={{
        title: 'Users sign in only with accounts of this platform',
        text: 'A provider lets them sign in with the accounts of your organisation: OpenID Connect, LDAP or Active Directory.',
      }}
      create={{
        label: 'Create provider',
        needs: 'signIn.createProvider',
        dialog: (onClose) => <ProviderForm onClose={onClose} />,
      }}
    />
  );
}
