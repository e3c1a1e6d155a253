import { page } from '~/app/page-route.tsx';
import { JobsPage } from './jobs-page.tsx';

export const jobRoutes = [
  // The page that the console opens with comes with its shell.
  page({ path: '/jobs', search: ['q', 'sort', 'state', 'who', 'window'], load: async () => JobsPage }),
  page({
    path: '/jobs/$jobId',
    search: ['iteration', 'task', 'view'],
    load: async () => (await import('./job-page.tsx')).JobPage,
  }),
] as const;
