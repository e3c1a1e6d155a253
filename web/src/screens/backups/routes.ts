import type { PageRoute } from '~/app/routes.tsx';

export const backupRoutes: PageRoute[] = [
  { path: '/backups', load: async () => (await import('./backups-page.tsx')).BackupsPage },
  { path: '/backups/runs/$runId', load: async () => (await import('./backup-run-page.tsx')).BackupRunPage },
];
