import { page } from '~/app/page-route.tsx';

export const textTemplateRoutes = [
  page({
    path: '/text-templates',
    search: ['q', 'sort', 'type'],
    load: async () => (await import('./text-templates-page.tsx')).TextTemplatesPage,
  }),
  page({
    path: '/text-templates/$templateId',
    search: [],
    load: async () => (await import('./text-template-page.tsx')).TextTemplatePage,
  }),
] as const;
