import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { api } from '~/api/client.ts';
import { problemOf } from '~/api/problem.ts';
import { Button } from '~/ui/button.tsx';
import { TextField } from '~/ui/fields.tsx';
import { Page } from '~/ui/page.tsx';
import { ProblemNote } from '~/ui/states.tsx';

/** Signs in at the address that was opened; afterwards the page of that address appears. */
export function SignInPage() {
  const queryClient = useQueryClient();
  return (
    <main style={{ maxWidth: '24rem', margin: '12vh auto', padding: '0 var(--space-4)' }}>
      <Page title="Switchyard">
        <div className="card">
          <SignInForm onSignedIn={() => void queryClient.resetQueries()} />
        </div>
      </Page>
    </main>
  );
}

type SignInDialogProps = { isOpen: boolean; onSignedIn: () => void };

/** Asks for the password again when the session has ended, over the page, so that typed text is kept. */
export function SignInDialog({ isOpen, onSignedIn }: SignInDialogProps) {
  return (
    <ModalOverlay className="overlay" isOpen={isOpen} isKeyboardDismissDisabled>
      <Modal className="dialog-box">
        <AriaDialog className="dialog">
          <Heading slot="title" level={2}>
            Your session has ended
          </Heading>
          <p>Sign in again to continue. What you typed is still there.</p>
          <SignInForm onSignedIn={onSignedIn} />
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

function SignInForm({ onSignedIn }: { onSignedIn: () => void }) {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setPending(true);
    setError(undefined);
    try {
      await api.session.signIn.mutate({ username, password });
      onSignedIn();
    } catch (failure) {
      setError(failure);
    } finally {
      setPending(false);
    }
  };
  return (
    <form className="column" onSubmit={submit}>
      <TextField
        label="Username"
        value={username}
        onChange={setUsername}
        autoComplete="username"
        isRequired
        autoFocus
      />
      <TextField
        label="Password"
        type="password"
        value={password}
        onChange={setPassword}
        autoComplete="current-password"
        isRequired
      />
      {error !== undefined && <ProblemNote problem={problemOf(error)} />}
      <Button type="submit" variant="primary" isPending={isPending}>
        Sign in
      </Button>
    </form>
  );
}
