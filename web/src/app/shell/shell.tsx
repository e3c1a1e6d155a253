import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { Button as AriaButton, I18nProvider } from 'react-aria-components';
import { tellAccount } from '~/api/account-of-tabs.ts';
import { api, retryFailed, trpc } from '~/api/client.ts';
import { useLiveEvents } from '~/api/live/use-live.ts';
import { problemOf, problemOfRead } from '~/api/problem.ts';
import { useMay, useWhoAmI } from '~/api/use-may.ts';
import { SignInPage } from '~/screens/sign-in/sign-in.tsx';
import { ActionMenu } from '~/ui/overlays/menu.tsx';
import { Toasts } from '~/ui/overlays/toast.tsx';
import { Page } from '~/ui/page.tsx';
import { PAGE_STATUS } from '~/ui/page-title.ts';
import { Failed, Loading } from '~/ui/states.tsx';
import { areasFor, isWithin } from '../areas.ts';
import { AreaIcon } from './area-icon.tsx';
import { BrandMark } from './brand-mark.tsx';
import { ConnectionState } from './connection-state.tsx';
import type { Overlay } from './extras.tsx';
import { SessionDialogs } from './session-dialogs.tsx';
import { useAppearance } from './use-appearance.ts';
import { useExtras } from './use-extras.ts';
import { useKeptFocus } from './use-kept-focus.ts';
import { useShortcuts } from './use-shortcuts.ts';

/** The frame around every page. Who is not signed in sees the sign-in page at the same address. */
export function Shell() {
  const who = useQuery(trpc.session.whoAmI.queryOptions({}, { staleTime: 60_000 }));
  const status = who.error ? problemOf(who.error).status : undefined;
  return (
    <I18nProvider locale="en-GB">
      {who.data ? (
        <SignedIn />
      ) : status === 401 ? (
        <SignInPage />
      ) : who.error ? (
        <main>
          <Page title="Switchyard">
            <Failed problem={problemOfRead(who.error)} onRetry={retryFailed} />
          </Page>
        </main>
      ) : (
        <Loading what="Opening the console" />
      )}
      <Toasts />
    </I18nProvider>
  );
}

function SignedIn() {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [overlay, setOverlay] = useState<Overlay>();
  const { theme, setTheme, density, setDensity } = useAppearance();
  useShortcuts({ openPalette: () => setOverlay('palette'), openShortcuts: () => setOverlay('shortcuts') });
  // Queries that no component shows are not refetched at each event: they are marked as stale, and read again when shown.
  useLiveEvents(() => void queryClient.invalidateQueries({ type: 'inactive', refetchType: 'none' }));
  const signOut = useMutation({
    mutationFn: async () => {
      // Whoever signed in at a provider signs out there as well.
      const link = await api.signIn.getLogoutLink.query({}).catch(() => undefined);
      await api.session.signOut.mutate({});
      return link?.url;
    },
    onSettled: (url) => {
      tellAccount(undefined);
      window.location.assign(url ?? '/console');
    },
  });
  const who = useWhoAmI();
  const main = useKeptFocus();
  const extras = useExtras(overlay !== undefined);
  return (
    <div className="shell">
      <a className="skip-link button" href="#main">
        Skip to content
      </a>
      <header className="shell-bar">
        <Link to="/" className="shell-brand">
          <BrandMark />
          Switchyard
        </Link>
        {extras && <extras.Trouble />}
        <SearchButton onPress={() => setOverlay('palette')} />
        <ConnectionState />
        <ActionMenu
          label={who?.username ?? 'Account'}
          actions={[
            {
              label: 'Theme: follow the system',
              onAction: () => setTheme('system'),
              isDisabled: theme === 'system',
            },
            { label: 'Theme: light', onAction: () => setTheme('light'), isDisabled: theme === 'light' },
            { label: 'Theme: dark', onAction: () => setTheme('dark'), isDisabled: theme === 'dark' },
            {
              label: density === 'compact' ? 'Rows: comfortable' : 'Rows: compact',
              onAction: () => setDensity(density === 'compact' ? 'comfortable' : 'compact'),
            },
            { label: 'Your account', onAction: () => void navigate({ to: '/account' }) },
            { label: 'Keyboard shortcuts', onAction: () => setOverlay('shortcuts') },
            { label: 'Sign out', onAction: () => signOut.mutate() },
          ]}
        />
      </header>
      <Navigation waiting={extras && <extras.WaitingCount />} />
      <main className="shell-main" id="main" tabIndex={-1} ref={main}>
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </main>
      <p className="visually-hidden" role="status" aria-label="Page" id={PAGE_STATUS} />
      {extras && <extras.Extras overlay={overlay} onClose={() => setOverlay(undefined)} />}
      {who && <SessionDialogs who={who} />}
    </div>
  );
}

const SearchButton = ({ onPress }: { onPress: () => void }) => (
  <AriaButton className="button shell-search" onPress={onPress} aria-keyshortcuts="Control+K">
    <Search className="icon" />
    <span className="shell-search-text">Search</span> <kbd>Ctrl K</kbd>
  </AriaButton>
);

/** @param waiting how many tasks wait for a person, beside the link to them */
function Navigation({ waiting }: { waiting: ReactNode }) {
  const may = useMay();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const areas = areasFor(may);
  const list = useRef<HTMLUListElement>(null);
  const current = areas.find((area) => isWithin(area, path))?.path;
  // On a narrow window the areas are one line that scrolls: the current one is shown in its middle.
  useEffect(() => {
    const line = list.current;
    const link = current && line?.querySelector('[aria-current]');
    if (!line || !link) return undefined;
    const show = () => {
      const [outer, inner] = [line.getBoundingClientRect(), link.getBoundingClientRect()];
      line.scrollLeft += inner.left + inner.width / 2 - (outer.left + outer.width / 2);
    };
    // The number of waiting tasks and the font arrive later, and make the line longer.
    const observer = new ResizeObserver(show);
    for (const area of line.children) observer.observe(area);
    return () => observer.disconnect();
  }, [current]);
  return (
    <nav className="shell-nav" aria-label="Main">
      <ul ref={list}>
        {areas.map((area) => (
          <li key={area.path} data-first={area.isFirst || undefined}>
            <Link to={area.path} aria-current={area.path === current ? 'page' : undefined}>
              <AreaIcon name={area.name} />
              <span>{area.name}</span>
              {area.name === 'My work' && waiting}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
