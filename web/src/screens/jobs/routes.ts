import type { PageRoute } from '~/app/routes.tsx';

export const jobRoutes: PageRoute[] = [
  { path: '/jobs', load: async () => (await import('./jobs-page.tsx')).JobsPage },
  { path: '/jobs/$jobId', load: async () => (await import('./job-page.tsx')).JobPage },
];
