import { page } from '~/app/page-route.tsx';

export const commandRoutes = [
  page({
    path: '/commands',
    search: ['devices', 'group', 'match', 'platform', 'q', 'selection', 'sort', 'tab', 'without'],
    load: async () => (await import('./commands-page.tsx')).CommandsPage,
  }),
  page({
    path: '/command-templates',
    search: ['q', 'sort'],
    load: async () => (await import('./templates/templates-page.tsx')).TemplatesPage,
  }),
  page({
    path: '/analytic-templates',
    search: ['q', 'sort'],
    load: async () => (await import('./analytic/analytic-templates-page.tsx')).AnalyticTemplatesPage,
  }),
] as const;
