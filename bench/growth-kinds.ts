/** A request. */
type Ask = { method: 'GET' | 'POST'; path: string; body?: unknown };

/** How one kind of document is made, listed and read over HTTP, and what its copies need to differ in. */
export type Kind = {
  name: string;
  table: string;
  /** The member that holds the name of a document. */
  named: string;
  id: 'uuid' | 'hex';
  /** Members that hold a time, which lists sort by. */
  dated?: string[];
  /** A member that holds a number of its own. */
  numbered?: string;
  /** Whether `list` filters by the name. */
  filter?: boolean;
  /** A page of 25, or the page of the documents with a name. */
  list: (name?: string) => Ask;
  get?: (one: { name: string; id: string }) => Ask;
  create?: (name: string) => Ask;
};

const get = (path: string): Ask => ({ method: 'GET', path });
const post = (path: string, body: unknown): Ask => ({ method: 'POST', path, body });
/** A list by GET whose filter is `equals[name]`. */
const listAt =
  (path: string, member = 'name') =>
  (name?: string) =>
    get(`${path}?limit=25${name === undefined ? '' : `&equals[${member}]=${encodeURIComponent(name)}`}`);

const workflow = (name: string) => ({
  name,
  type: 'automation',
  tasks: { workflow_start: { name: 'workflow_start' }, workflow_end: { name: 'workflow_end' } },
  transitions: { workflow_start: { workflow_end: { state: 'success', type: 'standard' } }, workflow_end: {} },
});

/** The workflow that jobs run. */
export const FIRST = post('/automation-studio/automations', { automation: workflow('First') });

export const KINDS: readonly Kind[] = [
  {
    ...{ name: 'workflows', table: 'workflows', named: 'name', id: 'uuid', filter: true },
    dated: ['created', 'last_updated'],
    list: listAt('/automation-studio/workflows'),
    get: ({ name }) => get(`/automation-studio/workflows/detailed/${encodeURIComponent(name)}`),
    create: (name) => post('/automation-studio/automations', { automation: workflow(name) }),
  },
  {
    ...{ name: 'templates', table: 'templates', named: 'name', id: 'hex', filter: true },
    list: listAt('/automation-studio/templates'),
    get: ({ id }) => get(`/automation-studio/templates/${id}`),
    create: (name) =>
      post('/automation-studio/templates', {
        template: {
          name,
          group: 'bench',
          command: '',
          description: '',
          template: 'x',
          data: '{}',
          type: 'jinja2',
        },
      }),
  },
  {
    ...{ name: 'transformations', table: 'transformations', named: 'name', id: 'hex', filter: true },
    list: listAt('/transformations'),
    get: ({ id }) => get(`/transformations/${id}`),
    create: (name) => post('/transformations', { name }),
  },
  {
    ...{ name: 'automations', table: 'automations', named: 'name', id: 'hex', filter: true },
    list: listAt('/operations-manager/automations'),
    get: ({ id }) => get(`/operations-manager/automations/${id}`),
    create: (name) => post('/operations-manager/automations', { name, componentType: 'workflows' }),
  },
  {
    ...{ name: 'projects', table: 'projects', named: 'name', id: 'hex', filter: true, numbered: 'iid' },
    list: listAt('/automation-studio/projects'),
    get: ({ id }) => get(`/automation-studio/projects/${id}`),
    create: (name) => post('/automation-studio/projects', { name }),
  },
  {
    ...{ name: 'hosts of devices', table: 'gateway_hosts', named: 'name', id: 'hex', filter: true },
    list: listAt('/automationgateway/inventory/cli'),
    get: ({ name }) => get(`/automationgateway/inventory/cli/${encodeURIComponent(name)}`),
    create: (name) =>
      post('/automationgateway/inventory/cli', {
        host: { name, host: '192.0.2.1', device_type: 'cisco_ios' },
      }),
  },
  {
    ...{ name: 'backups', table: 'backups', named: 'name', id: 'hex', filter: true, dated: ['date'] },
    list: (name) =>
      post('/configuration_manager/backups', {
        options: { start: 0, limit: 25, ...(name && { filter: { name } }) },
      }),
    get: ({ id }) => get(`/configuration_manager/backups/${id}`),
    create: (name) =>
      post('/configuration_manager/import/backups', { backups: [{ name, rawConfig: `hostname ${name}` }] }),
  },
  {
    ...{ name: 'golden trees', table: 'golden_trees', named: 'name', id: 'hex', filter: true },
    list: (name) =>
      post('/configuration_manager/search/configs', {
        options: { start: 0, limit: 25 },
        ...(name && { name }),
      }),
    create: (name) => post('/configuration_manager/configs', { name, deviceType: 'cisco-ios' }),
  },
  {
    ...{ name: 'device groups', table: 'device_groups', named: 'name', id: 'hex', filter: true },
    list: (name) =>
      post('/configuration_manager/deviceGroups/search', {
        options: { start: 0, limit: 25, ...(name && { filter: { name } }) },
      }),
    get: ({ id }) => get(`/configuration_manager/deviceGroups/${id}`),
    create: (name) =>
      post('/configuration_manager/deviceGroup', { groupName: name, groupDescription: '', deviceNames: '' }),
  },
  {
    ...{
      name: 'jobs',
      table: 'jobs',
      named: 'name',
      id: 'hex',
      filter: true,
      dated: ['created', 'last_updated'],
    },
    list: listAt('/operations-manager/jobs'),
    get: ({ id }) => get(`/operations-manager/jobs/${id}`),
    create: () => post('/operations-manager/jobs/start', { workflow: 'First', options: {} }),
  },
  {
    ...{ name: 'accounts', table: 'accounts', named: 'username', id: 'hex', filter: true },
    list: listAt('/authorization/accounts', 'username'),
    get: ({ id }) => get(`/authorization/accounts/${id}`),
    create: (name) =>
      post('/authorization/accounts', {
        account: { username: name.replaceAll(' ', '-'), password: 'a-long-password-1' },
      }),
  },
  {
    ...{ name: 'rows of the audit', table: 'audit', named: 'operation', id: 'hex', dated: ['time'] },
    list: () => get('/audit?limit=25'),
  },
];
