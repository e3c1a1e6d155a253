import type { PageRoute } from '~/app/routes.tsx';

export const commandRoutes: PageRoute[] = [
  { path: '/commands', load: async () => (await import('./commands-page.tsx')).CommandsPage },
  { path: '/command-templates', load: async () => (await import('./templates-page.tsx')).TemplatesPage },
];
