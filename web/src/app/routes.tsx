import { createRoute, createRouter, redirect, useParams } from '@tanstack/react-router';
import { problemOf } from '~/api/problem.ts';
import { accountRoutes } from '~/screens/account/routes.ts';
import { adminRoutes } from '~/screens/admin/routes.ts';
import { automationRoutes } from '~/screens/automations/routes.ts';
import { backupRoutes } from '~/screens/backups/routes.ts';
import { campaignRoutes } from '~/screens/campaigns/routes.ts';
import { commandRoutes } from '~/screens/commands/routes.ts';
import { complianceRoutes } from '~/screens/compliance/routes.ts';
import { deviceRoutes } from '~/screens/devices/routes.ts';
import { integrationRoutes } from '~/screens/integrations/routes.ts';
import { inventoryRoutes } from '~/screens/inventory/routes.ts';
import { jobRoutes } from '~/screens/jobs/routes.ts';
import { projectRoutes } from '~/screens/projects/routes.ts';
import { textTemplateRoutes } from '~/screens/text-templates/routes.ts';
import { treeRoutes } from '~/screens/trees/routes.ts';
import { workRoutes } from '~/screens/work/routes.ts';
import { Page } from '~/ui/page.tsx';
import { Failed } from '~/ui/states.tsx';
import { root } from './page-route.tsx';
import { movesWindow, returnToLatePlace } from './scroll-places.ts';
import { parseSearch, stringifySearch } from './search-params.ts';

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: ({ search }) => {
    // A sign-in that failed at a provider says so in the query.
    throw redirect({ to: '/jobs', search });
  },
});

/** What `edit` of an answer of the studio leads to: `#/edit?automation=<name>`, where `automation` means a workflow, or `#/edit?template=<name>`. */
const edit = createRoute({
  getParentRoute: () => root,
  path: '/edit',
  beforeLoad: () => {
    // As it is written: the router would decode it as a whole, and a name may contain &.
    const { hash } = globalThis.location;
    const named = new URLSearchParams(hash.slice(hash.indexOf('?') + 1));
    const template = named.get('template');
    if (template !== null) throw redirect({ to: '/text-templates', search: { q: template }, hash: '' });
    const name = named.get('automation');
    throw redirect({ to: name ? '/workflows' : '/projects', search: { q: name ?? undefined }, hash: '' });
  },
});

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    edit,
    ...jobRoutes,
    ...workRoutes,
    ...complianceRoutes,
    ...campaignRoutes,
    ...deviceRoutes,
    ...inventoryRoutes,
    ...backupRoutes,
    ...commandRoutes,
    ...treeRoutes,
    ...automationRoutes,
    ...projectRoutes,
    ...textTemplateRoutes,
    ...integrationRoutes,
    ...adminRoutes,
    ...accountRoutes,
  ]),
  basepath: '/console',
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPendingMs: 300,
  scrollRestoration: movesWindow(),
  // A list of another page that was not left at a place begins at its top.
  scrollToTopSelectors: ['.table-frame'],
  defaultErrorComponent: BrokenPage,
});
returnToLatePlace(router);

declare module '@tanstack/react-router' {
  /** What links and redirects are checked against. */
  interface Register {
    router: typeof router;
  }
}

/** The parameter of the path of the current page, decoded. @throws Error when the path has no such parameter */
export function usePathParam(name: string): string {
  const params: Record<string, string | undefined> = useParams({ strict: false });
  const value = params[name];
  if (value === undefined) throw new Error(`The path has no parameter ${name}`);
  return value;
}

/** Shown in place of a page whose code threw; the rest of the console stays usable. */
function BrokenPage({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <Page title="This page has failed">
      <Failed problem={problemOf(error)} onRetry={reset} />
    </Page>
  );
}
