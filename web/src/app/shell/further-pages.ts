import type { Area } from '../areas.ts';

/** Further pages that the command palette finds by name. */
export const PAGES: readonly Pick<Area, 'name' | 'path' | 'needs'>[] = [
  { name: 'Device groups', path: '/device-groups', needs: 'configurationManager.listDeviceGroups' },
  {
    name: 'Device templates',
    path: '/device-templates',
    needs: 'configurationManager.searchDeviceTemplates',
  },
  { name: 'Config parsers', path: '/parsers', needs: 'configurationManager.listParsers' },
  { name: 'Inventory sources', path: '/inventory/sources', needs: 'inventory.listSources' },
  { name: 'Import devices from CSV', path: '/inventory/import', needs: 'inventory.importCsv' },
  { name: 'Fleet backups', path: '/backups', needs: 'configurationManager.listBackupRuns' },
  { name: 'Command templates', path: '/command-templates', needs: 'mop.listTemplates' },
  { name: 'Analytic templates', path: '/analytic-templates', needs: 'mop.listAnalyticTemplates' },
  { name: 'Rules and devices', path: '/rules', needs: 'configurationManager.listRules' },
  { name: 'Compliance plans', path: '/compliance-plans', needs: 'configurationManager.searchPlans' },
  { name: 'Transformations', path: '/transformations', needs: 'transformations.listTransformations' },
  { name: 'Text templates', path: '/text-templates', needs: 'automationStudio.listTemplates' },
  { name: 'Proposals', path: '/proposals', needs: 'configurationManager.searchRemediations' },
  { name: 'Campaigns', path: '/campaigns', needs: 'configurationManager.listCampaigns' },
  { name: 'Sign-in providers', path: '/admin/sign-in', needs: 'signIn.listProviders' },
  { name: 'Access by default', path: '/admin/access', needs: 'authorization.getAccessDefault' },
  { name: 'Secrets', path: '/admin/secrets', needs: 'secrets.listProviders' },
  { name: 'Git', path: '/admin/git', needs: 'git.listRemotes' },
  { name: 'Notifications', path: '/admin/notifications', needs: 'notifications.listRules' },
  { name: 'Retention', path: '/admin/retention', needs: 'retention.getSettings' },
  { name: 'Accounts', path: '/admin/accounts', needs: 'authorization.listAccounts' },
  { name: 'Audit trail', path: '/admin/audit', needs: 'audit.listEntries' },
];
