import { page } from '~/app/page-route.tsx';

export const integrationRoutes = [
  page({
    path: '/integrations',
    search: ['q', 'sort'],
    load: async () => (await import('./integrations-page.tsx')).IntegrationsPage,
  }),
  page({
    path: '/integrations/$name',
    search: ['q', 'sort'],
    load: async () => (await import('./integration-page.tsx')).IntegrationPage,
  }),
  page({
    path: '/integration-models',
    search: ['q', 'sort'],
    load: async () => (await import('./models-page.tsx')).ModelsPage,
  }),
  page({
    path: '/integration-models/$name',
    search: ['q', 'sort'],
    load: async () => (await import('./model-page.tsx')).ModelPage,
  }),
  page({
    path: '/adapter-packages',
    search: ['q', 'sort'],
    load: async () => (await import('./packages-page.tsx')).PackagesPage,
  }),
  page({
    path: '/adapter-packages/$type',
    search: [],
    load: async () => (await import('./package-page.tsx')).PackagePage,
  }),
  page({
    path: '/adapter-catalogues',
    search: ['q', 'sort'],
    load: async () => (await import('./catalogues-page.tsx')).CataloguesPage,
  }),
  page({
    path: '/adapter-catalogues/$type',
    search: [],
    load: async () => (await import('./catalogue-page.tsx')).CataloguePage,
  }),
] as const;
