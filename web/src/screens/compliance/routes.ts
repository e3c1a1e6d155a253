import { page } from '~/app/page-route.tsx';

export const complianceRoutes = [
  page({
    path: '/compliance',
    search: ['batch', 'grade', 'group', 'node', 'q', 'sort', 'tree', 'version'],
    load: async () => (await import('./compliance-page.tsx')).CompliancePage,
  }),
  page({
    path: '/compliance-plans',
    search: ['q', 'sort'],
    load: async () => (await import('./plans/plans-page.tsx')).PlansPage,
  }),
  page({
    path: '/reports/$reportId',
    search: ['all', 'batch', 'compare', 'issue', 'severity', 'spec', 'w-error', 'w-info', 'w-warning'],
    load: async () => (await import('./reports/report-page.tsx')).ReportPage,
  }),
  page({
    path: '/proposals',
    search: ['q', 'sort', 'tab'],
    load: async () => (await import('./proposals/proposals-page.tsx')).ProposalsPage,
  }),
  page({
    path: '/proposals/$proposalId',
    search: [],
    load: async () => (await import('./proposals/proposal-page.tsx')).ProposalPage,
  }),
] as const;
