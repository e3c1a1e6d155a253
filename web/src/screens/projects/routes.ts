import type { PageRoute } from '~/app/routes.tsx';

export const projectRoutes: PageRoute[] = [
  { path: '/projects', load: async () => (await import('./projects-page.tsx')).ProjectsPage },
  { path: '/projects/$projectId', load: async () => (await import('./project-page.tsx')).ProjectPage },
  { path: '/workflows', load: async () => (await import('./workflows-page.tsx')).WorkflowsPage },
  { path: '/workflows/$workflowId', load: async () => (await import('./workflow-page.tsx')).WorkflowPage },
  {
    path: '/transformations',
    load: async () => (await import('./transformations-page.tsx')).TransformationsPage,
  },
  { path: '/prebuilts', load: async () => (await import('./prebuilts-page.tsx')).PrebuiltsPage },
];
