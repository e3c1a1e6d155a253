import type { PageRoute } from '~/app/routes.tsx';

export const projectRoutes: PageRoute[] = [
  { path: '/projects', load: async () => (await import('./projects-page.tsx')).ProjectsPage },
  { path: '/projects/$projectId', load: async () => (await import('./project-page.tsx')).ProjectPage },
  {
    path: '/workflows/$workflowId',
    load: async () => (await import('./workflow/workflow-page.tsx')).WorkflowPage,
  },
];
