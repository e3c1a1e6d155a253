import { page } from '~/app/page-route.tsx';

export const projectRoutes = [
  page({
    path: '/projects',
    search: ['q', 'sort'],
    load: async () => (await import('./projects-page.tsx')).ProjectsPage,
  }),
  page({
    path: '/projects/$projectId',
    search: [],
    load: async () => (await import('./project-page.tsx')).ProjectPage,
  }),
  page({
    path: '/workflows',
    search: ['q', 'sort'],
    load: async () => (await import('./workflows-page.tsx')).WorkflowsPage,
  }),
  page({
    path: '/workflows/$workflowId',
    search: ['tab', 'task'],
    load: async () => (await import('./workflow-page.tsx')).WorkflowPage,
  }),
  page({
    path: '/transformations',
    search: ['q', 'sort'],
    load: async () => (await import('./transformations-page.tsx')).TransformationsPage,
  }),
  page({
    path: '/prebuilts',
    search: ['q', 'sort'],
    load: async () => (await import('./prebuilts-page.tsx')).PrebuiltsPage,
  }),
] as const;
