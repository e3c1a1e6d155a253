import { page } from '~/app/page-route.tsx';

export const backupRoutes = [
  page({
    path: '/backups',
    search: ['all', 'as', 'case', 'find', 'platforms', 'sort', 'tab'],
    load: async () => (await import('./backups-page.tsx')).BackupsPage,
  }),
  page({
    path: '/backups/runs/$runId',
    search: ['sort'],
    load: async () => (await import('./backup-run-page.tsx')).BackupRunPage,
  }),
] as const;
