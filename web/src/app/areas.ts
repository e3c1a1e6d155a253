import type { ProcedureName } from '~/api/use-may.ts';
import type { PagePath } from './paths.ts';

/** An area of the navigation: its name, its path, its shortcut after `g`, and the procedure without which it is empty. */
export type Area = {
  name: string;
  path: PagePath;
  key: string;
  needs: ProcedureName;
  /** The pages that the area leads to for those who may not open its first one: the first that an account may open. */
  instead?: readonly { path: PagePath; needs: ProcedureName }[];
  /** The first parts of further paths that belong to the area. */
  also?: readonly string[];
  /** Whether a group of areas begins here. */
  isFirst?: boolean;
};

export const AREAS: readonly Area[] = [
  { name: 'Jobs', path: '/jobs', key: 'j', needs: 'operationsManager.listJobs' },
  { name: 'My work', path: '/work', key: 'w', needs: 'operationsManager.listTasks' },
  {
    name: 'Compliance',
    path: '/compliance',
    key: 'c',
    needs: 'configurationManager.listReports',
    instead: [{ path: '/proposals', needs: 'configurationManager.searchRemediations' }],
    also: ['/compliance-plans', '/reports', '/proposals', '/rules', '/campaigns'],
    isFirst: true,
  },
  {
    name: 'Devices',
    path: '/devices',
    key: 'd',
    needs: 'configurationManager.searchDevices',
    also: ['/device-groups', '/device-templates', '/inventory', '/backups'],
  },
  {
    name: 'Commands',
    path: '/commands',
    key: 'm',
    needs: 'mop.runCommandDevices',
    instead: [{ path: '/command-templates', needs: 'mop.listTemplates' }],
    also: ['/command-templates', '/analytic-templates'],
  },
  {
    name: 'Golden configs',
    path: '/trees',
    key: 't',
    needs: 'configurationManager.listTrees',
    also: ['/parsers'],
  },
  {
    name: 'Automations',
    path: '/automations',
    key: 'a',
    needs: 'operationsManager.listAutomations',
    isFirst: true,
  },
  {
    name: 'Projects',
    path: '/projects',
    key: 'p',
    needs: 'automationStudio.listProjects',
    instead: [{ path: '/workflows', needs: 'automationStudio.listWorkflows' }],
    also: ['/workflows', '/transformations', '/text-templates', '/prebuilts'],
  },
  {
    name: 'Integrations',
    path: '/integrations',
    key: 'i',
    needs: 'integrations.listIntegrations',
    also: ['/integration-models', '/adapter-packages', '/adapter-catalogues'],
  },
  {
    name: 'Admin',
    path: '/admin',
    key: 'x',
    needs: 'health.getSystem',
    instead: [
      { path: '/admin/notifications', needs: 'notifications.listRules' },
      { path: '/admin/workers', needs: 'workflowEngine.getWorkersStatus' },
    ],
    isFirst: true,
  },
];

/** Returns the areas in which an account finds something, each with the first page that it may open. */
export const areasFor = (may: (name: ProcedureName) => boolean): Area[] =>
  AREAS.flatMap((area) => {
    if (may(area.needs)) return [area];
    const instead = area.instead?.find(({ needs }) => may(needs));
    return instead ? [{ ...area, ...instead, also: [...(area.also ?? []), area.path] }] : [];
  });

/** Whether a path belongs to an area. */
export const isWithin = ({ path, also = [] }: Area, current: string): boolean =>
  [path, ...also].some((one) => current === one || current.startsWith(`${one}/`));
