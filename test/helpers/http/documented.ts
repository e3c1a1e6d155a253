import type { Role } from '#server/kernel/roles.ts';

type Row = { no: string; method: string; path: string; roles: readonly Role[] };

const row = (no: string, method: string, path: string, ...roles: Role[]): Row => ({
  no,
  method,
  path,
  roles,
});

/** The 23 endpoints of contract/endpoints#4 with the roles of contract/endpoints#roles. */
export const DOCUMENTED: readonly Row[] = [
  row('4.1', 'POST', '/orchestrator_manager/restAction/:adapterId', 'admin'),
  row('4.2', 'POST', '/orchestrator_manager/restQuery/:adapterId', 'admin'),
  row('4.3', 'GET', '/authorization/views', 'admin', 'apiread'),
  row('4.4', 'GET', '/configuration_manager/configurations/parser', 'admin', 'apiread'),
  row('4.5', 'GET', '/health/server', 'admin', 'apiread'),
  row('4.6', 'POST', '/configuration_manager/compliance_reports/grade', 'admin', 'apiwrite'),
  row(
    '4.7',
    'DELETE',
    '/automation-studio/projects/:projectId/components/:componentId',
    'admin',
    'apiwrite',
    'designer',
  ),
  row('4.8', 'PUT', '/prebuilts/:id', 'admin'),
  row('4.9', 'POST', '/configuration_manager/import/backups', 'admin', 'apiwrite'),
  row('4.10', 'POST', '/automationgateway/gnoi/traceroute/execute', 'admin'),
  row('4.11', 'POST', '/configuration_manager/compliance_reports/history', 'admin', 'apiread'),
  row('4.12', 'PUT', '/prebuilts/import/validation', 'admin'),
  row('4.13', 'GET', '/configuration_manager/configs/:treeId', 'admin', 'apiread'),
  row('4.14', 'POST', '/automationgateway/cli/send_command', 'admin'),
  row('4.15', 'PUT', '/configuration_manager/configs/:treeId', 'admin', 'apiwrite'),
  row('4.16', 'POST', '/mop/export', 'admin', 'apiread'),
  row('4.17', 'GET', '/orchestrator_manager/neds/deep/:adapterId', 'admin', 'other'),
  row('4.18', 'POST', '/orchestrator_manager/validateCommit', 'admin'),
  row('4.19', 'POST', '/operations-manager/triggers/manual/:id/run', 'admin', 'apiwrite', 'engineering'),
  row('4.20', 'GET', '/profiles/:id', 'admin'),
  row(
    '4.21',
    'POST',
    '/operations-manager/automations/clone',
    'admin',
    'apiwrite',
    'designer',
    'engineering',
  ),
  row('4.22', 'GET', '/applications', 'admin', 'apiread'),
  row('4.23', 'POST', '/workflow_builder/workflows/schemas', 'admin', 'engineering', 'support'),
];

/** The documented endpoints whose area is not built yet; this list only gets shorter. */
export const ABSENT: ReadonlySet<string> = new Set([]);

/** The documented endpoints that exist. */
export const PRESENT = DOCUMENTED.filter(({ no }) => !ABSENT.has(no));
