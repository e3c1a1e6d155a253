import type { PageRoute } from '~/app/routes.tsx';

export const automationRoutes: PageRoute[] = [
  { path: '/automations', load: async () => (await import('./automations-page.tsx')).AutomationsPage },
  { path: '/automations/forms', load: async () => (await import('./forms-page.tsx')).FormsPage },
  {
    path: '/automations/$automationId',
    load: async () => (await import('./automation-page.tsx')).AutomationPage,
  },
];
