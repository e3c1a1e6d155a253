import type { ProcedureName } from '~/api/use-may.ts';

/** An area of the navigation: its name, its path, its shortcut after `g`, and the procedure without which it is empty. */
export type Area = { name: string; path: string; key: string; needs: ProcedureName };

export const AREAS: readonly Area[] = [
  { name: 'Jobs', path: '/jobs', key: 'j', needs: 'operationsManager.listJobs' },
  { name: 'My work', path: '/work', key: 'w', needs: 'operationsManager.listTasks' },
  { name: 'Compliance', path: '/compliance', key: 'c', needs: 'configurationManager.listReports' },
  { name: 'Devices', path: '/devices', key: 'd', needs: 'configurationManager.searchDevices' },
  { name: 'Commands', path: '/commands', key: 'm', needs: 'mop.runCommandDevices' },
  { name: 'Golden configs', path: '/trees', key: 't', needs: 'configurationManager.listTrees' },
  { name: 'Automations', path: '/automations', key: 'a', needs: 'operationsManager.listAutomations' },
  { name: 'Projects', path: '/projects', key: 'p', needs: 'automationStudio.listProjects' },
  { name: 'Integrations', path: '/integrations', key: 'i', needs: 'integrations.listIntegrations' },
  { name: 'Admin', path: '/admin', key: 'x', needs: 'health.getSystem' },
];
