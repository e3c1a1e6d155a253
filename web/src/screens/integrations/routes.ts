import type { PageRoute } from '~/app/routes.tsx';

export const integrationRoutes: PageRoute[] = [
  { path: '/integrations', load: async () => (await import('./integrations-page.tsx')).IntegrationsPage },
  {
    path: '/integrations/$name',
    load: async () => (await import('./integration-page.tsx')).IntegrationPage,
  },
  { path: '/integration-models', load: async () => (await import('./models-page.tsx')).ModelsPage },
  { path: '/integration-models/$name', load: async () => (await import('./model-page.tsx')).ModelPage },
  { path: '/adapter-packages', load: async () => (await import('./packages-page.tsx')).PackagesPage },
  { path: '/adapter-packages/$type', load: async () => (await import('./package-page.tsx')).PackagePage },
  {
    path: '/adapter-catalogues',
    load: async () => (await import('./catalogues-page.tsx')).CataloguesPage,
  },
  {
    path: '/adapter-catalogues/$type',
    load: async () => (await import('./catalogue-page.tsx')).CataloguePage,
  },
];
