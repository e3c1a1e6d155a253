import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as invented from '../../schemas/invented.ts';
import { adapter, profile } from '../../schemas/invented-platform.ts';
import { documentOf } from '../integrations/integrations.ts';
import { asset } from './assets.ts';

/** A valid request of an import: its operation in the OpenAPI document, and its body under a name that is free. */
export type ImportRequest = { at: string; target?: string; what: string; make: (name: string) => unknown };

const id = (n: number) => n.toString(16).padStart(24, '0');
const gbac = { read: [], write: [] };
const author = { _id: id(1), username: 'ada', provenance: 'local', missing: true };
const stamps = {
  created: '2026-02-03T04:05:06.789Z',
  createdBy: id(1),
  lastUpdated: '2026-02-03T04:05:06.789Z',
  lastUpdatedBy: id(1),
};
const manual = { name: 'By hand', type: 'manual', enabled: true, formData: { port: 1 }, legacyWrapper: true };
const schedule = {
  name: 'At night',
  type: 'schedule',
  enabled: false,
  firstRunAt: 1_900_000_000_000,
  processMissedRuns: 'none',
  repeatUnit: 'day',
  repeatFrequency: 1,
  repeatInterval: null,
};
const endpoint = {
  name: 'By call',
  type: 'endpoint',
  verb: 'POST',
  routeName: 'turn-up',
  enabled: false,
  schema: { type: 'object' },
};

/** A document of each kind under a name, with as many of its members as make sense together. */
const workflow = (name: string) => ({ ...structuredClone(invented.workflow), name });
const form = (name: string) => asset('jsonForm', name, { ...stamps, createdBy: author, id: id(5), tags: [] });
const template = (name: string) =>
  asset('template', name, {
    ...stamps,
    createdBy: author,
    lastUpdatedBy: author,
    description: '',
    command: '',
  });
const transformation = (name: string) =>
  asset('transformation', name, {
    description: '',
    createdBy: author,
    created: stamps.created,
    incoming: [{ $id: 'port', type: 'number' }],
    outgoing: [{ $id: 'text', type: 'string' }],
    steps: [
      {
        id: 2,
        type: 'method',
        library: 'Number',
        method: 'toString',
        args: [null],
        view: { row: 1, col: 1 },
      },
    ],
    view: { col: 3, row: 5 },
    tags: [],
  });
const device = {
  ostype: 'cisco-ios',
  device_type: 'cisco_ios',
  host: '192.0.2.11',
  port: 22,
  username: 'svc',
};
const host = (name: string) => ({
  ...device,
  name,
  password: 'x',
  tags: ['edge'],
  gbac,
  hostKey: { policy: 'accept-new', algorithm: 'ssh-ed25519', ports: { 830: { algorithm: 'ssh-ed25519' } } },
  options: { timeoutMs: 1000, jumpHost: null, legacyAlgorithms: false },
});
const tree = (name: string) => {
  const { _id, id: _, treeId, tags, ...version } = structuredClone(invented.treeVersion);
  return { ...version, name, gbac };
};
const project = (name: string) => ({
  ...structuredClone(invented.project),
  _id: undefined,
  name,
  folders: [
    {
      nodeType: 'folder',
      iid: 2,
      name: 'Checks',
      children: [{ nodeType: 'component', iid: 1 }],
    },
  ],
  components: [
    {
      iid: 1,
      type: 'template',
      reference: id(77),
      folder: '/',
      document: { ...template(`${name} t`), _id: id(77) },
    },
  ],
});
const automation = (name: string) => ({
  ...stamps,
  name,
  description: '',
  componentType: 'workflows',
  componentName: 'Flow of all',
  gbac,
  triggers: [manual, schedule, { ...endpoint, routeName: `route-${name}` }],
});
const prebuilt = (name: string) => {
  const made = structuredClone(invented.prebuilt);
  made.metadata.name = name;
  made.bundles = [
    { type: 'mop-template', data: { ...asset('mopCommandTemplate', name) }, 'x-bundle': 1 },
  ] as never;
  made.manifest.artifacts = [{ id: name, name, type: 'mop-template', location: '/bundles/a.json' }];
  return made;
};

/** Real exports beside the checkout, each with all that its product writes. */
function realExports(kind: string): Record<string, unknown>[] {
  const folder = ['../../../../shared/data/exports', '../../../../../shared/data/exports']
    .map((path) => join(dirname(fileURLToPath(import.meta.url)), path, kind))
    .find(existsSync);
  return (folder ? readdirSync(folder) : [])
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(join(folder as string, file), 'utf8')));
}

/**
 * Returns requests of every import, with documents that have as many fields as make sense together, and the real exports.
 *
 * @param actionId an automation that exists
 */
export const importRequests = (actionId: string): ImportRequest[] => [
  {
    at: 'POST /adapters/import',
    what: 'an adapter',
    make: (name) => ({
      properties: {
        ...structuredClone(adapter),
        name,
        type: undefined,
        properties: { ...structuredClone(adapter.properties), id: name },
      },
    }),
  },
  {
    at: 'POST /profiles/import',
    what: 'a profile',
    make: (name) => ({ properties: { ...structuredClone(profile.profile), id: name } }),
  },
  {
    at: 'POST /automation-studio/automations/import',
    what: 'a workflow',
    make: (name) => ({ automations: [workflow(name)] }),
  },
  { at: 'POST /workflow_builder/import', what: 'a workflow', make: (name) => ({ workflow: workflow(name) }) },
  {
    at: 'POST /automation-studio/projects/import',
    what: 'a project',
    make: (name) => ({ project: project(name), options: { partial: false } }),
  },
  {
    at: 'POST /automation-studio/templates/import',
    what: 'a template',
    make: (name) => ({ templates: [template(name)] }),
  },
  {
    at: 'POST /transformations/import',
    what: 'a transformation',
    make: (name) => ({ transformation: transformation(name) }),
  },
  { at: 'POST /json-forms/import/forms', what: 'a form', make: (name) => ({ forms: [form(name)] }) },
  {
    at: 'POST /mop/import',
    what: 'a command template',
    make: (name) => ({ type: 'templates', template: { ...structuredClone(invented.commandTemplate), name } }),
  },
  {
    at: 'POST /mop/import',
    what: 'an analytic template',
    make: (name) => ({
      type: 'analytics',
      template: { ...structuredClone(invented.analyticTemplate), name },
    }),
  },
  {
    at: 'POST /automationgateway/inventory/{kind}/import',
    target: '/automationgateway/inventory/cli/import',
    what: 'a host',
    make: (name) => ({ hosts: [host(name)], options: { overwrite: false } }),
  },
  {
    at: 'POST /configuration_manager/import/backups',
    what: 'a backup',
    make: (name) => ({ backups: [{ ...invented.backup, id: undefined, name, gbac }] }),
  },
  {
    at: 'POST /configuration_manager/import/goldenconfigs',
    what: 'a tree',
    make: (name) => ({ trees: [{ data: [tree(name)], overwrite: false, newName: name }], options: {} }),
  },
  {
    at: 'POST /configuration_manager/import/groups',
    what: 'a group',
    make: (name) => ({
      groups: [{ ...stamps, name, description: '', devices: ['edge-1'], gbac }],
      options: {},
    }),
  },
  {
    at: 'POST /configuration_manager/import/parsers',
    what: 'a parser',
    make: (name) => ({
      parsers: [{ ...stamps, name, template: 'cisco-ios', lexRules: [['!.*', 'comment']], gbac }],
    }),
  },
  {
    at: 'POST /configuration_manager/import/plans',
    what: 'a plan',
    make: (name) => ({ plans: [{ ...stamps, name, description: '', throttle: 3, nodes: [], gbac }] }),
  },
  {
    at: 'POST /configuration_manager/import/templates',
    what: 'a device template',
    make: (name) => ({
      templates: [
        { ...stamps, name, template: 'hostname x', deviceOSTypes: ['cisco-ios'], variables: {}, gbac },
      ],
    }),
  },
  {
    at: 'PUT /operations-manager/automations',
    what: 'an automation',
    make: (name) => ({ automations: [automation(name)] }),
  },
  {
    at: 'PUT /operations-manager/triggers',
    what: 'triggers',
    make: (name) => ({
      triggers: [
        { ...manual, name, actionType: 'automations', actionId: actionId },
        { ...schedule, name: `${name} n`, actionType: 'automations', actionId: actionId },
      ],
    }),
  },
  {
    at: 'POST /prebuilts/import',
    what: 'a package',
    make: (name) => ({ prebuilt: prebuilt(name), options: { overwrite: false } }),
  },
  {
    at: 'POST /integration-models',
    what: 'an OpenAPI document',
    make: (name) => ({ model: documentOf(name, { '/sites': { get: { operationId: 'listSites' } } }) }),
  },
  {
    at: 'PUT /prebuilts/import/validation',
    what: 'a package',
    make: (name) => ({ prebuilt: prebuilt(name) }),
  },
  ...realExports('automations').map((one, index) => ({
    at: 'PUT /operations-manager/automations',
    what: `real export ${index}`,
    make: (name: string) => ({ automations: [{ ...one, name, componentName: 'Flow of all' }] }),
  })),
  ...realExports('golden').map((one, index) => ({
    at: 'POST /configuration_manager/import/goldenconfigs',
    what: `real export ${index}`,
    make: (name: string) => ({ trees: [{ ...one, newName: name }] }),
  })),
];
