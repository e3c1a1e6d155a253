import { page } from '~/app/page-route.tsx';

export const automationRoutes = [
  page({
    path: '/automations',
    search: ['q', 'sort', 'tab', 'type'],
    load: async () => (await import('./automations-page.tsx')).AutomationsPage,
  }),
  page({
    path: '/automations/forms',
    search: ['q', 'sort'],
    load: async () => (await import('./forms-page.tsx')).FormsPage,
  }),
  page({
    path: '/automations/$automationId',
    search: [],
    load: async () => (await import('./automation-page.tsx')).AutomationPage,
  }),
] as const;
