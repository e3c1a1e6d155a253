import { page } from '~/app/page-route.tsx';

export const treeRoutes = [
  page({
    path: '/trees',
    search: ['q', 'sort'],
    load: async () => (await import('./trees-page.tsx')).TreesPage,
  }),
  page({
    path: '/trees/$treeId',
    search: ['against', 'compare', 'node', 'platform', 'tab', 'version'],
    load: async () => (await import('./tree-page.tsx')).TreePage,
  }),
  page({
    path: '/parsers',
    search: ['q', 'sort'],
    load: async () => (await import('./parsers/parsers-page.tsx')).ParsersPage,
  }),
] as const;
