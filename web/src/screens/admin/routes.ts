import { page } from '~/app/page-route.tsx';

export const adminRoutes = [
  page({
    path: '/admin',
    search: [],
    load: async () => (await import('./system/health-page.tsx')).HealthPage,
  }),
  page({
    path: '/admin/accounts',
    search: ['q', 'sort'],
    load: async () => (await import('./access/accounts-page.tsx')).AccountsPage,
  }),
  page({
    path: '/admin/accounts/$accountId',
    search: [],
    load: async () => (await import('./access/account-page.tsx')).AccountPage,
  }),
  page({
    path: '/admin/groups',
    search: ['q', 'sort'],
    load: async () => (await import('./access/groups-page.tsx')).GroupsPage,
  }),
  page({
    path: '/admin/groups/$groupId',
    search: [],
    load: async () => (await import('./access/group-page.tsx')).GroupPage,
  }),
  page({
    path: '/admin/roles',
    search: ['q', 'sort'],
    load: async () => (await import('./access/roles-page.tsx')).RolesPage,
  }),
  page({
    path: '/admin/service-accounts',
    search: ['q', 'sort'],
    load: async () => (await import('./access/service-accounts-page.tsx')).ServiceAccountsPage,
  }),
  page({
    path: '/admin/tokens',
    search: ['q', 'sort'],
    load: async () => (await import('./access/tokens-page.tsx')).TokensPage,
  }),
  page({
    path: '/admin/adapters',
    search: ['q', 'sort'],
    load: async () => (await import('./system/adapters-page.tsx')).AdaptersPage,
  }),
  page({
    path: '/admin/applications',
    search: ['q', 'sort'],
    load: async () => (await import('./system/applications-page.tsx')).ApplicationsPage,
  }),
  page({
    path: '/admin/health',
    search: [],
    load: async () => (await import('./system/health-page.tsx')).HealthPage,
  }),
  page({
    path: '/admin/profiles',
    search: ['q', 'sort'],
    load: async () => (await import('./system/profiles-page.tsx')).ProfilesPage,
  }),
  page({
    path: '/admin/profiles/$profileId',
    search: ['tab'],
    load: async () => (await import('./system/profile-page.tsx')).ProfilePage,
  }),
  page({
    path: '/admin/audit',
    search: ['account', 'credential', 'document', 'outcome', 'q', 'since', 'sort'],
    load: async () => (await import('./system/audit-page.tsx')).AuditPage,
  }),
  page({
    path: '/admin/workers',
    search: [],
    load: async () => (await import('./system/workers-page.tsx')).WorkersPage,
  }),
  page({
    path: '/admin/outgoing',
    search: [],
    load: async () => (await import('./system/outgoing-page.tsx')).OutgoingPage,
  }),
  page({
    path: '/admin/git',
    search: ['q', 'sort'],
    load: async () => (await import('./git/remotes-page.tsx')).RemotesPage,
  }),
  page({
    path: '/admin/git/$remoteId',
    search: ['sort'],
    load: async () => (await import('./git/remote-page.tsx')).RemotePage,
  }),
  page({
    path: '/admin/git-runs/$runId',
    search: ['sort'],
    load: async () => (await import('./git/git-run-page.tsx')).GitRunPage,
  }),
  page({
    path: '/admin/notifications',
    search: ['channel', 'q', 'sort', 'status', 'tab'],
    load: async () => (await import('./notifications/notifications-page.tsx')).NotificationsPage,
  }),
  page({
    path: '/admin/secrets',
    search: ['q', 'sort', 'tab'],
    load: async () => (await import('./secrets/secrets-page.tsx')).SecretsPage,
  }),
  page({
    path: '/admin/credentials',
    search: ['q', 'sort'],
    load: async () => (await import('./secrets/credentials-page.tsx')).CredentialsPage,
  }),
  page({
    path: '/admin/command-policies',
    search: ['q', 'sort'],
    load: async () => (await import('./policies/command-policies-page.tsx')).CommandPoliciesPage,
  }),
  page({
    path: '/admin/access',
    search: [],
    load: async () => (await import('./policies/access-page.tsx')).AccessPage,
  }),
  page({
    path: '/admin/retention',
    search: ['sort'],
    load: async () => (await import('./policies/retention-page.tsx')).RetentionPage,
  }),
  page({
    path: '/admin/sign-in',
    search: ['q', 'sort'],
    load: async () => (await import('./sign-in/providers-page.tsx')).ProvidersPage,
  }),
  page({
    path: '/admin/sign-in/$providerId',
    search: ['q', 'sort'],
    load: async () => (await import('./sign-in/provider-page.tsx')).ProviderPage,
  }),
] as const;
