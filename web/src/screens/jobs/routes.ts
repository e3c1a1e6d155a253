import type { PageRoute } from '~/app/routes.tsx';
import { JobsPage } from './jobs-page.tsx';

export const jobRoutes: PageRoute[] = [
  // The page that the console opens with comes with its shell.
  { path: '/jobs', load: async () => JobsPage },
  { path: '/jobs/$jobId', load: async () => (await import('./job-page.tsx')).JobPage },
];
