import { page } from '~/app/page-route.tsx';

export const accountRoutes = [
  page({
    path: '/account',
    search: [],
    load: async () => (await import('./account-page.tsx')).OwnAccountPage,
  }),
] as const;
