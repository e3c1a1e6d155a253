import type { PageRoute } from '~/app/routes.tsx';

export const complianceRoutes: PageRoute[] = [
  { path: '/compliance', load: async () => (await import('./compliance-page.tsx')).CompliancePage },
  { path: '/compliance-plans', load: async () => (await import('./plans/plans-page.tsx')).PlansPage },
  { path: '/reports/$reportId', load: async () => (await import('./reports/report-page.tsx')).ReportPage },
  { path: '/proposals', load: async () => (await import('./proposals/proposals-page.tsx')).ProposalsPage },
  {
    path: '/proposals/$proposalId',
    load: async () => (await import('./proposals/proposal-page.tsx')).ProposalPage,
  },
];
