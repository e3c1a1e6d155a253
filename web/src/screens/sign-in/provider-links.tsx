import { useQuery } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { trpc } from '~/api/client.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Button } from '~/ui/button.tsx';

const REASONS: Readonly<Record<string, string>> = {
  NO_ACCESS: 'None of your groups has access here, or your account is inactive. Ask an administrator.',
  ATTEMPT_UNKNOWN: 'This sign-in was begun in another browser, or more than ten minutes ago. Try again.',
  TOKEN_REFUSED: 'The provider refused the sign-in, or its answer is not valid.',
  CLIENT_REFUSED: 'The provider does not accept the credentials of this platform. Tell an administrator.',
  DISCOVERY_FAILED: 'The provider cannot be used at the moment.',
  KEYS_FAILED: 'The provider cannot be used at the moment.',
};

/** Why a sign-in at a provider failed, as the service says it in the query of the address. */
export function SignInFailure() {
  const [{ signInError, provider = 'the provider' }] = useUrlState();
  if (!signInError) return null;
  return (
    <p className="note" data-tone="bad" role="alert">
      The sign-in with {provider} failed ({signInError}).{' '}
      {REASONS[signInError] ?? 'The provider cannot be reached.'}
    </p>
  );
}

type ProviderLinksProps = {
  /** Present over a page whose typed text must stay: the sign-in opens in another tab, and this is called afterwards. */
  onContinue?: () => void;
};

/** The providers at which users sign in: a link for each that has a page of its own, and those that the form serves too. */
export function ProviderLinks({ onContinue }: ProviderLinksProps) {
  const methods = useQuery(trpc.signIn.listMethods.queryOptions({}, { retry: false, staleTime: 60_000 }));
  const { pathname, searchStr } = useRouterState({ select: ({ location }) => location });
  const [{ signInError }] = useUrlState();
  const { providers = [] } = methods.data ?? {};
  const linked = providers.filter(({ start }) => start !== null);
  const directories = providers.filter(({ type }) => type === 'ldap');
  // After a failure the query has its reason, which must not come back.
  const returnTo = `/console${pathname === '/' ? '' : pathname}${signInError ? '' : searchStr}`;
  return (
    <>
      {directories.length > 0 && (
        <p className="muted small">
          Accounts of {directories.map(({ title }) => title).join(', ')} sign in with the form as well.
        </p>
      )}
      {linked.length > 0 && (
        <section className="column" aria-label="Other ways to sign in">
          {linked.map(({ name, title, start }) => (
            <a
              key={name}
              className="button"
              href={`${start}?${new URLSearchParams({ returnTo })}`}
              {...(onContinue && { target: '_blank', rel: 'noopener' })}
            >
              Sign in with {title}
            </a>
          ))}
          {onContinue && (
            <p className="small">
              It opens in another tab, so that what you typed stays.{' '}
              <Button onPress={onContinue}>I have signed in there</Button>
            </p>
          )}
        </section>
      )}
    </>
  );
}
