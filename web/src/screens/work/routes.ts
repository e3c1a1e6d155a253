import type { PageRoute } from '~/app/routes.tsx';

export const workRoutes: PageRoute[] = [
  { path: '/work', load: async () => (await import('./work-page.tsx')).WorkPage },
  { path: '/work/$taskId', load: async () => (await import('./work-task-page.tsx')).WorkTaskPage },
];
