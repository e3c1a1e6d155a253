import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { usePathParam } from '~/app/routes.tsx';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Button } from '~/ui/button.tsx';
import { Details } from '~/ui/details.tsx';
import { ConfirmDialog } from '~/ui/overlays/dialog.tsx';
import { showProblem, showToast } from '~/ui/overlays/toast.tsx';
import { LoadedPage } from '~/ui/page.tsx';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { Time } from '~/ui/time.tsx';
import { namesOf, useGroupNames } from '../access/use-choices.ts';
import { AdminPath } from '../admin-frame.tsx';
import { ProviderForm } from './provider-form.tsx';
import { ProviderState } from './providers-page.tsx';

type Provider = Outputs['signIn']['getProvider'];
type Mapping = NonNullable<Provider['mapping']>[number];

/** One provider: its state, its settings without secrets, and what its groups give. */
export function ProviderPage() {
  const id = usePathParam('providerId');
  const provider = useQuery(trpc.signIn.getProvider.queryOptions({ id }));
  return (
    <LoadedPage
      query={provider}
      title="Sign-in provider"
      titleOf={({ name }) => name}
      path={<AdminPath to="/admin/sign-in" label="Sign-in" />}
      actions={(data) => <Actions provider={data} />}
    >
      {(data) => (
        <>
          <Summary provider={data} />
          <MappingTable mapping={data.mapping ?? []} />
        </>
      )}
    </LoadedPage>
  );
}

function Summary({ provider }: { provider: Provider }) {
  const { _id, type, oidc, ldap, status, source } = provider;
  const origin = window.location.origin;
  return (
    <section className="card" aria-label="Summary">
      {source === 'environment' && (
        <p className="note">It is configured by environment variables, and cannot be changed here.</p>
      )}
      <Details
        entries={[
          ['State', <ProviderState key="state" provider={provider} />],
          ['Last contact', <Time key="time" value={status.time} />],
          ['Outcome', status.detail],
          ['Text on the sign-in page', provider.title ?? provider.name],
          ['Issuer', oidc?.issuer ?? ''],
          ['Client id', oidc?.clientId ?? ''],
          ['Groups claim', oidc && (oidc.groupsClaim ?? 'groups')],
          [
            'Redirect URI',
            type === 'oidc' && <code key="redirect">{`${origin}/sign_in/oidc/${_id}/callback`}</code>,
          ],
          [
            'Back-channel logout URI',
            type === 'oidc' && <code key="logout">{`${origin}/sign_in/oidc/${_id}/backchannel_logout`}</code>,
          ],
          ['Directory', ldap?.url ?? ''],
          ['Base DN of users', ldap?.userBase ?? ''],
          ['Base DN of groups', ldap && (ldap.groupBase ?? ldap.userBase)],
          ['Roles for every user', provider.defaultRoles?.join(', ') ?? ''],
          ['Minutes without an answer', String(provider.graceMinutes ?? 15)],
        ]}
      />
    </section>
  );
}

function Actions({ provider }: { provider: Provider }) {
  const may = useMay();
  const navigate = useNavigate();
  const refresh = useRefresh(trpc.signIn.listProviders.pathFilter(), trpc.signIn.getProvider.pathFilter());
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const [isTesting, setTesting] = useState(false);
  const { _id: id, name, source } = provider;
  const test = async () => {
    setTesting(true);
    try {
      const { ok, detail, latencyMs } = await api.signIn.testProvider.mutate({ id });
      showToast(`${name}: ${detail} (${Math.round(latencyMs)} ms)`, ok ? 'good' : 'bad');
    } catch (error) {
      showProblem(error);
    }
    setTesting(false);
    await refresh();
  };
  return (
    <>
      {may('signIn.testProvider') && (
        <Button onPress={test} isPending={isTesting}>
          {isTesting ? 'Testing …' : 'Test connection'}
        </Button>
      )}
      {source === 'stored' && may('signIn.updateProvider') && (
        <Button onPress={() => setOpen('edit')}>Change</Button>
      )}
      {source === 'stored' && may('signIn.deleteProvider') && (
        <Button variant="danger" onPress={() => setOpen('delete')}>
          Delete
        </Button>
      )}
      {open === 'edit' && <ProviderForm provider={provider} onClose={() => setOpen(undefined)} />}
      {open === 'delete' && (
        <ConfirmDialog
          action="Delete provider"
          onClose={() => setOpen(undefined)}
          onConfirm={async () => {
            await api.signIn.deleteProvider.mutate({ id });
            await navigate({ to: '/admin/sign-in' });
            await refresh();
          }}
        >
          Users of “{name}” lose their sessions and what its mapping gave them. Their accounts stay.
        </ConfirmDialog>
      )}
    </>
  );
}

function MappingTable({ mapping }: { mapping: readonly Mapping[] }) {
  const groups = useGroupNames();
  const columns: Column<Mapping>[] = [
    { key: 'group', header: 'Group of the directory', cell: ({ group }) => group },
    { key: 'roles', header: 'Roles here', cell: ({ roles = [] }) => roles.join(', ') || '–' },
    {
      key: 'groups',
      header: 'Groups here',
      cell: ({ groups: ids = [] }) => namesOf(groups.data, ids) || '–',
    },
  ];
  return (
    <>
      <h2>Group mapping</h2>
      {mapping.length === 0 ? (
        <p className="muted">No group is mapped: users may sign in only if there are roles for every user.</p>
      ) : (
        <DataTable label="Group mapping" columns={columns} rows={mapping} rowKey={({ group }) => group} />
      )}
    </>
  );
}
