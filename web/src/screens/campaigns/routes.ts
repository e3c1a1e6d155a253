import { page } from '~/app/page-route.tsx';

export const campaignRoutes = [
  page({
    path: '/rules',
    search: ['q', 'sort', 'tree', 'version'],
    load: async () => (await import('./rules-page.tsx')).RulesPage,
  }),
  page({
    path: '/campaigns',
    search: ['sort'],
    load: async () => (await import('./campaigns-page.tsx')).CampaignsPage,
  }),
  page({
    path: '/campaigns/$campaignId',
    search: ['sort', 'state', 'wave'],
    load: async () => (await import('./campaign-page.tsx')).CampaignPage,
  }),
  page({
    path: '/campaigns/$campaignId/proposals',
    search: ['from'],
    load: async () => (await import('./review-page.tsx')).ReviewPage,
  }),
] as const;
