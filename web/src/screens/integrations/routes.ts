import type { PageRoute } from '~/app/routes.tsx';

export const integrationRoutes: PageRoute[] = [
  { path: '/integrations', load: async () => (await import('./integrations-page.tsx')).IntegrationsPage },
  { path: '/integrations/$name', load: async () => (await import('./integration-page.tsx')).IntegrationPage },
  { path: '/integrations/models/$name', load: async () => (await import('./model-page.tsx')).ModelPage },
  {
    path: '/integrations/catalogues/$type',
    load: async () => (await import('./catalogue-page.tsx')).CataloguePage,
  },
];
