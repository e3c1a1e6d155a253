import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { usePathParam } from '~/app/routes.tsx';
import { useAct, useRefresh } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { Details } from '~/ui/details.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { LoadedPage } from '~/ui/page.tsx';
import { AdminPath } from '../admin-frame.tsx';
import { Membership } from './membership.tsx';
import { namesOf, roleNamesOf, useGroupNames, useRoles } from './use-choices.ts';

type Group = Outputs['authorization']['getGroup'];

/** One group of accounts, with the roles that it grants. */
export function GroupPage() {
  const groupId = usePathParam('groupId');
  const group = useQuery(trpc.authorization.getGroup.queryOptions({ groupId }));
  const roles = useRoles();
  const groups = useGroupNames();
  return (
    <LoadedPage
      query={group}
      title="Group"
      titleOf={({ name }) => name}
      path={<AdminPath to="/admin/groups" label="Groups" />}
      actions={(data) => <Actions group={data} />}
    >
      {({ inactive, description, provenance, assignedRoles = [], memberOf = [], inheritedRoles = [] }) => (
        <section className="card" aria-label="Summary">
          <Details
            entries={[
              [
                'State',
                <Badge key="state" tone={inactive ? 'neutral' : 'good'}>
                  {inactive ? 'inactive' : 'active'}
                </Badge>,
              ],
              ['Description', description ?? ''],
              ['Source', provenance ?? ''],
              [
                'Roles',
                roleNamesOf(
                  roles.data?.results,
                  assignedRoles.map(({ roleId }) => roleId),
                ) || 'none',
              ],
              [
                'Roles from groups',
                roleNamesOf(
                  roles.data?.results,
                  inheritedRoles.map(({ roleId }) => roleId),
                ) || 'none',
              ],
              [
                'Member of',
                namesOf(
                  groups.data,
                  memberOf.map(({ groupId: id }) => id),
                ) || 'none',
              ],
            ]}
          />
        </section>
      )}
    </LoadedPage>
  );
}

function Actions({ group }: { group: Group }) {
  const may = useMay();
  const navigate = useNavigate();
  const changed = [
    trpc.authorization.getGroup.pathFilter(),
    trpc.authorization.listGroups.pathFilter(),
    trpc.authorization.listGroupNames.pathFilter(),
  ];
  const refresh = useRefresh(...changed);
  const act = useAct(...changed);
  const [open, setOpen] = useState<'membership' | 'delete'>();
  const { _id: groupId, name, inactive = false } = group;
  return (
    <>
      {may('authorization.updateGroup') && (
        <>
          <Button onPress={() => setOpen('membership')}>Roles and groups</Button>
          <Button
            onPress={() =>
              act(() => api.authorization.updateGroup.mutate({ groupId, updates: { inactive: !inactive } }))
            }
          >
            {inactive ? 'Activate' : 'Deactivate'}
          </Button>
        </>
      )}
      {may('authorization.deleteGroup') && (
        <Button variant="danger" onPress={() => setOpen('delete')}>
          Delete
        </Button>
      )}
      {open === 'membership' && (
        <Membership
          member={group}
          except={groupId}
          readAgain={() => api.authorization.getGroup.query({ groupId })}
          onClose={() => setOpen(undefined)}
          onSave={async (updates, options) => {
            await api.authorization.updateGroup.mutate({ groupId, updates }, options);
            await refresh();
          }}
        />
      )}
      {open === 'delete' && (
        <FormDialog
          title="Delete group"
          action="Delete group"
          isDanger
          isOpen
          onClose={() => setOpen(undefined)}
          onSubmit={async () => {
            await api.authorization.deleteGroup.mutate({ groupId });
            await navigate({ to: '/admin/groups' });
            await refresh();
          }}
        >
          <p>The group “{name}” is deleted; its accounts lose the roles that it gives.</p>
        </FormDialog>
      )}
    </>
  );
}
