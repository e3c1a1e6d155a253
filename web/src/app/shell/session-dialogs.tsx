import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { onAccountTold, tellAccount } from '~/api/account-of-tabs.ts';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { startLive } from '~/api/live/live.ts';
import { onSignedOut, reportSignedOut } from '~/api/signed-out.ts';
import { SignInDialog } from '~/screens/sign-in/sign-in.tsx';
import { Button } from '~/ui/button.tsx';
import { Dialog } from '~/ui/overlays/dialog.tsx';
import { nameText } from '~/ui/visible-text.ts';

/** The choice cannot be left: until it is made, the page would act as another account. */
const STAY = () => undefined;
/** Begins the page again, as whoever is signed in now. */
const reload = () => window.location.reload();

/**
 * What is shown over the page when its session has ended, or when this browser was signed in as another account in another tab:
 * what the page sends would be done in the name of that account. Events are read while neither is so.
 */
export function SessionDialogs({ who }: { who: Outputs['session']['whoAmI'] }) {
  const queryClient = useQueryClient();
  const [isExpired, setExpired] = useState(false);
  const [other, setOther] = useState<string>();
  const { id, username } = who;
  useEffect(() => onSignedOut(() => setExpired(true)), []);
  useEffect(() => (isExpired ? undefined : startLive()), [isExpired]);
  useEffect(() => tellAccount({ id, username }), [id, username]);
  const resume = () => {
    setExpired(false);
    setOther(undefined);
    void queryClient.invalidateQueries();
  };
  useEffect(() =>
    onAccountTold((account) => {
      if (!account) void queryClient.invalidateQueries(trpc.session.whoAmI.pathFilter());
      else if (account.id !== id) setOther(account.username);
      else if (isExpired || other) resume();
    }),
  );
  const findWho = async () => {
    const now = await api.session.whoAmI.query({}).catch(() => undefined);
    if (!now) reportSignedOut();
    else if (now.id !== id) reload();
    else {
      tellAccount({ id, username });
      resume();
    }
  };
  return (
    <>
      <SignInDialog username={username} isOpen={isExpired && !other} onSignedIn={() => void findWho()} />
      <Dialog title="Another account is signed in" isOpen={other !== undefined} onClose={STAY}>
        <p>
          In another tab this browser was signed in as {nameText(other ?? '')}. This page was opened as{' '}
          {nameText(username)}: sign in there again to continue here, or reload the page.
        </p>
        <div className="dialog-actions">
          <Button variant="primary" onPress={reload}>
            Open the page as {nameText(other ?? '')}
          </Button>
        </div>
      </Dialog>
    </>
  );
}
