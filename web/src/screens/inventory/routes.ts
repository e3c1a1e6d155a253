import type { PageRoute } from '~/app/routes.tsx';

export const inventoryRoutes: PageRoute[] = [
  { path: '/inventory/sources', load: async () => (await import('./sources-page.tsx')).SourcesPage },
  { path: '/inventory/sources/$sourceId', load: async () => (await import('./source-page.tsx')).SourcePage },
  { path: '/inventory/runs/$runId', load: async () => (await import('./source-run-page.tsx')).SourceRunPage },
  { path: '/inventory/import', load: async () => (await import('./csv-import-page.tsx')).CsvImportPage },
];
