import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { usePathParam } from '~/app/routes.tsx';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { Details } from '~/ui/details.tsx';
import { TextField } from '~/ui/fields.tsx';
import { ConfirmDialog, FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { LoadedPage } from '~/ui/page.tsx';
import { Time } from '~/ui/time.tsx';
import { AdminPath } from '../admin-frame.tsx';
import { Membership } from './membership.tsx';
import { namesOf, roleNamesOf, useGroupNames, useRoles } from './use-choices.ts';

type Account = Outputs['authorization']['getAccount'];

/** One account: its roles and groups, and what an administrator does with it. */
export function AccountPage() {
  const accountId = usePathParam('accountId');
  const account = useQuery(trpc.authorization.getAccount.queryOptions({ accountId }));
  const roles = useRoles();
  const groups = useGroupNames();
  return (
    <LoadedPage
      query={account}
      title="Account"
      titleOf={({ username }) => username}
      path={<AdminPath to="/admin/accounts" label="Accounts" />}
      actions={(data) => <Actions account={data} />}
    >
      {(data) => (
        <section className="card" aria-label="Summary">
          <Details
            entries={[
              [
                'State',
                <Badge key="state" tone={data.inactive ? 'neutral' : 'good'}>
                  {data.inactive ? 'deactivated' : 'active'}
                </Badge>,
              ],
              ['Name', data.firstname ?? ''],
              ['Email', data.email ?? ''],
              ['Source', data.provenance ?? ''],
              ['Signed in', data.loggedIn ? 'yes' : 'no'],
              ['Last sign-in', <Time key="last" value={data.lastLogin} />],
              ['Roles', roleNamesOf(roles.data?.results, ids(data.assignedRoles)) || 'none'],
              ['Roles from groups', roleNamesOf(roles.data?.results, ids(data.inheritedRoles)) || 'none'],
              ['Groups', namesOf(groups.data, groupIds(data.memberOf)) || 'none'],
              ['Groups from groups', namesOf(groups.data, groupIds(data.inheritedGroups))],
            ]}
          />
          <p className="muted small">
            One account with the role admin must always stay active: deactivating the last one, or removing
            its role, is refused.
          </p>
        </section>
      )}
    </LoadedPage>
  );
}

const ids = (roles: readonly { roleId: string }[] = []) => roles.map(({ roleId }) => roleId);
const groupIds = (groups: readonly { groupId: string }[] = []) => groups.map(({ groupId }) => groupId);

type Open = 'edit' | 'membership' | 'password' | 'state' | 'logout' | 'factor';

function Actions({ account }: { account: Account }) {
  const may = useMay();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const props = { account, onClose: close };
  return (
    <>
      {may('authorization.updateAccount') && (
        <>
          <Button onPress={() => setOpen('edit')}>Edit</Button>
          <Button onPress={() => setOpen('membership')}>Roles and groups</Button>
        </>
      )}
      {may('authorization.changePassword') && (
        <Button onPress={() => setOpen('password')}>Set password</Button>
      )}
      {may('authorization.forceLogout') && (
        <Button onPress={() => setOpen('logout')}>Sign out everywhere</Button>
      )}
      {may('authorization.removeSecondFactor') && (
        <Button onPress={() => setOpen('factor')}>Reset second factor</Button>
      )}
      {may('authorization.updateAccount') && (
        <Button variant={account.inactive ? 'secondary' : 'danger'} onPress={() => setOpen('state')}>
          {account.inactive ? 'Activate' : 'Deactivate'}
        </Button>
      )}
      {open === 'edit' && <Edit {...props} />}
      {open === 'membership' && <AccountMembership {...props} />}
      {open === 'password' && <SetPassword {...props} />}
      {open === 'state' && <SetState {...props} />}
      {open === 'logout' && <SignOutEverywhere {...props} />}
      {open === 'factor' && <ResetSecondFactor {...props} />}
    </>
  );
}

type AccountDialogProps = { account: Account; onClose: () => void };

const useAccountRefresh = () =>
  useRefresh(trpc.authorization.getAccount.pathFilter(), trpc.authorization.listAccounts.pathFilter());

function Edit({ account, onClose }: AccountDialogProps) {
  const refresh = useAccountRefresh();
  const [firstname, setFirstname] = useState(account.firstname ?? '');
  const [email, setEmail] = useState(account.email ?? '');
  return (
    <FormDialog
      title="Edit account"
      action="Save"
      isOpen
      onClose={onClose}
      onSubmit={async () => {
        const updates = { firstname, email };
        await api.authorization.updateAccount.mutate({ accountId: account._id, updates });
        await refresh();
      }}
    >
      <TextField label="Name" value={firstname} onChange={setFirstname} />
      <TextField label="Email" type="email" value={email} onChange={setEmail} />
    </FormDialog>
  );
}

function AccountMembership({ account, onClose }: AccountDialogProps) {
  const refresh = useAccountRefresh();
  const { _id: accountId } = account;
  return (
    <Membership
      member={account}
      readAgain={() => api.authorization.getAccount.query({ accountId })}
      onClose={onClose}
      onSave={async (updates, options) => {
        await api.authorization.updateAccount.mutate({ accountId, updates }, options);
        await refresh();
      }}
    />
  );
}

function SetPassword({ account, onClose }: AccountDialogProps) {
  const [newPassword, setPassword] = useState('');
  return (
    <FormDialog
      title="Set password"
      action="Set password"
      isOpen
      onClose={onClose}
      isReady={newPassword !== ''}
      onSubmit={async () => {
        const { message } = await api.authorization.changePassword.mutate({
          accountId: account._id,
          newPassword,
        });
        showToast(message);
      }}
    >
      <TextField
        label="New password"
        type="password"
        value={newPassword}
        onChange={setPassword}
        isRequired
        autoFocus
        autoComplete="new-password"
      />
    </FormDialog>
  );
}

function SetState({ account, onClose }: AccountDialogProps) {
  const refresh = useAccountRefresh();
  const { _id: accountId, username, inactive = false } = account;
  const action = inactive ? 'Activate' : 'Deactivate';
  return (
    <FormDialog
      title={`${action} account`}
      action={action}
      isDanger={!inactive}
      isOpen
      onClose={onClose}
      onSubmit={async () => {
        await api.authorization.updateAccount.mutate({ accountId, updates: { inactive: !inactive } });
        await refresh();
      }}
    >
      <p>
        {inactive
          ? `${username} can sign in again.`
          : `${username} is signed out and can no longer sign in. Nothing of the account is deleted.`}
      </p>
    </FormDialog>
  );
}

function SignOutEverywhere({ account, onClose }: AccountDialogProps) {
  const refresh = useAccountRefresh();
  return (
    <FormDialog
      title="Sign out everywhere"
      action="Sign out everywhere"
      isDanger
      isOpen
      onClose={onClose}
      onSubmit={async () => {
        const { message } = await api.authorization.forceLogout.mutate({ accountId: account._id });
        await refresh();
        showToast(message);
      }}
    >
      <p>Every session of {account.username} ends.</p>
    </FormDialog>
  );
}

function ResetSecondFactor({ account, onClose }: AccountDialogProps) {
  return (
    <ConfirmDialog
      action="Reset second factor"
      onClose={onClose}
      onConfirm={async () => {
        const { message } = await api.authorization.removeSecondFactor.mutate({ accountId: account._id });
        showToast(message);
      }}
    >
      For a user who lost the authenticator and the recovery codes: {account.username} then signs in with the
      password alone, and every session of the account ends.
    </ConfirmDialog>
  );
}
