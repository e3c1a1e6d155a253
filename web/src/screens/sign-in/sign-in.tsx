import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '~/api/client.ts';
import { problemOf } from '~/api/problem.ts';
import { answerOfKey, hasSecurityKeys, type KeyAnswer } from '~/api/security-key.ts';
import { BrandMark } from '~/app/shell/brand-mark.tsx';
import { Button } from '~/ui/button.tsx';
import { TextField } from '~/ui/fields.tsx';
import { Dialog } from '~/ui/overlays/dialog.tsx';
import { Page } from '~/ui/page.tsx';
import { ProblemNote } from '~/ui/states.tsx';
import { ProviderLinks, SignInFailure } from './provider-links.tsx';

/** Signs in at the address that was opened; afterwards the page of that address appears. */
export function SignInPage() {
  const queryClient = useQueryClient();
  return (
    <main className="sign-in">
      <BrandMark />
      <Page title="Switchyard">
        <div className="card">
          <SignInFailure />
          <SignInForm onSignedIn={() => void queryClient.resetQueries()} />
          <ProviderLinks />
        </div>
      </Page>
    </main>
  );
}

/** Only a sign-in closes the dialog. */
const STAY = () => undefined;

type SignInDialogProps = {
  /** The account whose session has ended. */
  username: string;
  isOpen: boolean;
  onSignedIn: () => void;
};

/** Asks for the password again when the session has ended, over the page, so that typed text is kept. */
export function SignInDialog({ username, isOpen, onSignedIn }: SignInDialogProps) {
  return (
    <Dialog title="Your session has ended" isOpen={isOpen} onClose={STAY}>
      <p>Sign in again to continue. What you typed is still there.</p>
      <SignInForm account={username} onSignedIn={onSignedIn} />
      <ProviderLinks onContinue={onSignedIn} />
    </Dialog>
  );
}

/** The reason with which the service asks for a second factor, after a password that was right. */
const NEEDS_FACTOR = 'second factor required';

const NO_COOKIES =
  'The password was accepted, but this browser does not keep the cookie of the session. Allow cookies for this address, then sign in again.';

type SignInFormProps = {
  /** The account that the form begins with; absent: none. */
  account?: string;
  onSignedIn: () => void;
};

function SignInForm({ account = '', onSignedIn }: SignInFormProps) {
  const [username, setUsername] = useState(account);
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  /** The second factors that the account may use; undefined: none is asked for. */
  const [factors, setFactors] = useState<readonly string[]>();
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  const signIn = async (proof: () => Promise<{ code?: string; securityKey?: KeyAnswer }>) => {
    setPending(true);
    setError(undefined);
    try {
      await api.session.signIn.mutate({ username, password, ...(await proof()) });
      // Without its cookie the page would only ask for the password again, and never say why.
      await api.session.whoAmI.query({}).catch((failure: unknown) => {
        throw problemOf(failure).status === 401 ? new Error(NO_COOKIES) : failure;
      });
      onSignedIn();
    } catch (failure) {
      const problem = problemOf(failure);
      if (problem.reason === NEEDS_FACTOR && !factors) setFactors(problem.factors ?? ['code']);
      else setError(failure);
    } finally {
      setPending(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isPending) void signIn(async () => (factors ? { code } : {}));
  };
  return (
    <form className="column" onSubmit={submit}>
      <TextField
        label="Username"
        value={username}
        onChange={setUsername}
        autoComplete="username"
        isRequired
        isReadOnly={factors !== undefined}
        autoFocus={account === ''}
      />
      <TextField
        label="Password"
        type="password"
        value={password}
        onChange={setPassword}
        autoComplete="current-password"
        isRequired
        isReadOnly={factors !== undefined}
        autoFocus={account !== ''}
      />
      {factors && (
        <TextField
          label="Code"
          hint="From your authenticator, or one of your recovery codes"
          value={code}
          onChange={setCode}
          autoComplete="one-time-code"
          isRequired
          autoFocus
        />
      )}
      {error !== undefined && <ProblemNote problem={problemOf(error)} />}
      <div className="row">
        <Button type="submit" variant="primary" isPending={isPending}>
          Sign in
        </Button>
        {factors?.includes('securityKey') && hasSecurityKeys() && (
          <Button
            onPress={() => void signIn(async () => ({ securityKey: await answerOfKey(username, password) }))}
          >
            Use a security key
          </Button>
        )}
        {factors && (
          <Button
            variant="quiet"
            onPress={() => {
              setFactors(undefined);
              setCode('');
              setError(undefined);
            }}
          >
            Another account
          </Button>
        )}
      </div>
    </form>
  );
}
