import type { PageRoute } from '~/app/routes.tsx';

export const adminRoutes: PageRoute[] = [
  { path: '/admin', load: async () => (await import('./system/health-page.tsx')).HealthPage },
  { path: '/admin/accounts', load: async () => (await import('./access/accounts-page.tsx')).AccountsPage },
  {
    path: '/admin/accounts/$accountId',
    load: async () => (await import('./access/account-page.tsx')).AccountPage,
  },
  { path: '/admin/groups', load: async () => (await import('./access/groups-page.tsx')).GroupsPage },
  { path: '/admin/groups/$groupId', load: async () => (await import('./access/group-page.tsx')).GroupPage },
  { path: '/admin/roles', load: async () => (await import('./access/roles-page.tsx')).RolesPage },
  {
    path: '/admin/service-accounts',
    load: async () => (await import('./access/service-accounts-page.tsx')).ServiceAccountsPage,
  },
  { path: '/admin/tokens', load: async () => (await import('./access/tokens-page.tsx')).TokensPage },
  { path: '/admin/adapters', load: async () => (await import('./system/adapters-page.tsx')).AdaptersPage },
  {
    path: '/admin/applications',
    load: async () => (await import('./system/applications-page.tsx')).ApplicationsPage,
  },
  { path: '/admin/health', load: async () => (await import('./system/health-page.tsx')).HealthPage },
  { path: '/admin/profiles', load: async () => (await import('./system/profiles-page.tsx')).ProfilesPage },
  {
    path: '/admin/profiles/$profileId',
    load: async () => (await import('./system/profile-page.tsx')).ProfilePage,
  },
  { path: '/admin/audit', load: async () => (await import('./system/audit-page.tsx')).AuditPage },
  { path: '/admin/workers', load: async () => (await import('./system/workers-page.tsx')).WorkersPage },
  { path: '/admin/outgoing', load: async () => (await import('./system/outgoing-page.tsx')).OutgoingPage },
  { path: '/admin/git', load: async () => (await import('./git/remotes-page.tsx')).RemotesPage },
  { path: '/admin/git/$remoteId', load: async () => (await import('./git/remote-page.tsx')).RemotePage },
  { path: '/admin/git-runs/$runId', load: async () => (await import('./git/git-run-page.tsx')).GitRunPage },
  {
    path: '/admin/notifications',
    load: async () => (await import('./notifications/notifications-page.tsx')).NotificationsPage,
  },
  { path: '/admin/secrets', load: async () => (await import('./secrets/secrets-page.tsx')).SecretsPage },
  {
    path: '/admin/credentials',
    load: async () => (await import('./secrets/credentials-page.tsx')).CredentialsPage,
  },
  {
    path: '/admin/command-policies',
    load: async () => (await import('./policies/command-policies-page.tsx')).CommandPoliciesPage,
  },
  { path: '/admin/access', load: async () => (await import('./policies/access-page.tsx')).AccessPage },
  {
    path: '/admin/retention',
    load: async () => (await import('./policies/retention-page.tsx')).RetentionPage,
  },
  { path: '/admin/sign-in', load: async () => (await import('./sign-in/providers-page.tsx')).ProvidersPage },
  {
    path: '/admin/sign-in/$providerId',
    load: async () => (await import('./sign-in/provider-page.tsx')).ProviderPage,
  },
];
