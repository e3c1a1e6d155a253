import type { PageRoute } from '~/app/routes.tsx';

export const accountRoutes: PageRoute[] = [
  { path: '/account', load: async () => (await import('./account-page.tsx')).OwnAccountPage },
];
