import { page } from '~/app/page-route.tsx';

export const workRoutes = [
  page({
    path: '/work',
    search: ['group', 'job', 'owner', 'q', 'sort'],
    load: async () => (await import('./work-page.tsx')).WorkPage,
  }),
  page({
    path: '/work/$taskId',
    search: [],
    load: async () => (await import('./work-task-page.tsx')).WorkTaskPage,
  }),
] as const;
