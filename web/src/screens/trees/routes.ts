import type { PageRoute } from '~/app/routes.tsx';

export const treeRoutes: PageRoute[] = [
  { path: '/trees', load: async () => (await import('./trees-page.tsx')).TreesPage },
  { path: '/trees/$treeId', load: async () => (await import('./tree-page.tsx')).TreePage },
  { path: '/parsers', load: async () => (await import('./parsers/parsers-page.tsx')).ParsersPage },
];
