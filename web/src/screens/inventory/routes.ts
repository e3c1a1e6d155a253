import { page } from '~/app/page-route.tsx';

export const inventoryRoutes = [
  page({
    path: '/inventory/sources',
    search: ['q', 'sort'],
    load: async () => (await import('./sources-page.tsx')).SourcesPage,
  }),
  page({
    path: '/inventory/sources/$sourceId',
    search: ['q', 'sort'],
    load: async () => (await import('./source-page.tsx')).SourcePage,
  }),
  page({
    path: '/inventory/runs/$runId',
    search: [],
    load: async () => (await import('./source-run-page.tsx')).SourceRunPage,
  }),
  page({
    path: '/inventory/import',
    search: [],
    load: async () => (await import('./csv-import-page.tsx')).CsvImportPage,
  }),
] as const;
