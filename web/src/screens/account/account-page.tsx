import { useState } from 'react';
import { api } from '~/api/client.ts';
import { useMay, useWhoAmI } from '~/api/use-may.ts';
import { Button } from '~/ui/button.tsx';
import { Details } from '~/ui/details.tsx';
import { TextField } from '~/ui/fields.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { Page } from '~/ui/page.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';
import { Tokens } from './tokens.tsx';

/** The account of who is signed in: its sessions, tokens and password. */
export function OwnAccountPage() {
  const who = useWhoAmI();
  const may = useMay();
  const [isChanging, setChanging] = useState(false);
  return (
    <Page
      title="Your account"
      actions={
        may('authorization.changePassword') && (
          <Button onPress={() => setChanging(true)}>Change password</Button>
        )
      }
    >
      {who && (
        <section className="card" aria-label="Summary">
          <Details
            entries={[
              ['Username', who.username],
              ['Name', who.firstname],
              ['Roles', who.roles.join(', ') || 'none'],
              ['Groups', who.groups.map(({ name }) => name).join(', ') || 'none'],
            ]}
          />
        </section>
      )}
      <SecondFactor />
      <Sessions />
      <Tokens roles={who?.roles ?? []} />
      {isChanging && who && <ChangePassword accountId={who.id} onClose={() => setChanging(false)} />}
    </Page>
  );
}

function ChangePassword({ accountId, onClose }: { accountId: string; onClose: () => void }) {
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const [again, setAgain] = useState('');
  return (
    <FormDialog
      title="Change password"
      action="Change password"
      isOpen
      onClose={onClose}
      isReady={currentPassword !== '' && newPassword !== '' && newPassword === again}
      onSubmit={async () => {
        const { message } = await api.authorization.changePassword.mutate({
          accountId,
          currentPassword,
          newPassword,
        });
        showToast(message);
      }}
    >
      <TextField
        label="Current password"
        type="password"
        value={currentPassword}
        onChange={setCurrent}
        isRequired
        autoFocus
        autoComplete="current-password"
      />
      <TextField
        label="New password"
        type="password"
        value={newPassword}
        onChange={setNew}
        isRequired
        autoComplete="new-password"
      />
      <TextField
        label="Repeat the new password"
        type="password"
        value={again}
        onChange={setAgain}
        isRequired
        autoComplete="new-password"
        problem={again !== '' && again !== newPassword ? 'The passwords do not match.' : undefined}
      />
    </FormDialog>
  );
}
