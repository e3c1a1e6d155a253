import type { PageRoute } from '~/app/routes.tsx';

export const campaignRoutes: PageRoute[] = [
  { path: '/rules', load: async () => (await import('./rules-page.tsx')).RulesPage },
  { path: '/campaigns', load: async () => (await import('./campaigns-page.tsx')).CampaignsPage },
  { path: '/campaigns/$campaignId', load: async () => (await import('./campaign-page.tsx')).CampaignPage },
  {
    path: '/campaigns/$campaignId/proposals',
    load: async () => (await import('./review-page.tsx')).ReviewPage,
  },
];
