/** Invented documents, one of every kind, each with members that no schema knows of. */

const id = (n: number) => n.toString(16).padStart(24, '0');
const when = '2026-02-03T04:05:06.789Z';
const stamps = { created: when, createdBy: id(1), lastUpdated: when, lastUpdatedBy: id(1) };
const gbac = { read: [id(2)], write: [], 'x-own': true };
const literal = (...values: string[]) => values.map((value) => ({ type: 'literal', value, 'x-word': 1 }));

const line = {
  id: '65f0c1d2e3a4b5c6',
  words: [...literal('interface'), { type: 'regex', value: 'Gi.*' }],
  lines: [
    { id: '65f0c1d2e3a4b5c7', words: literal('shutdown'), lines: [], evalMode: 'disallowed', 'x-line': [] },
  ],
  evalMode: 'required',
  fixMode: 'manual',
  severity: 'error',
  ordering: 'loose',
  membership: 'default',
};
const spec = {
  _id: id(3),
  deviceType: 'cisco-ios',
  template: 'interface {/Gi.*/}\n {d/}shutdown\n',
  lines: [line],
  ...stamps,
};
const attributes = {
  devices: ['edge-1'],
  deviceGroups: [{ id: id(4), date: when }],
  remediationWorkflow: null,
  configId: id(3),
  export: spec,
};
const leaf = {
  name: 'access',
  attributes: { ...attributes, 'x-attribute': null },
  children: [],
  'x-node': 2,
};
const root = { name: 'base', attributes, children: [leaf], staleLines: false };

const task = {
  name: 'evaluation',
  summary: 'Enough memory?',
  description: null,
  location: 'Application',
  locationType: null,
  app: 'WorkFlowEngine',
  type: 'operation',
  actor: 'job',
  groups: [
    'default',
    id(5),
    { _id: id(6), provenance: 'local', name: 'noc', memberOf: [{ groupId: id(7) }], 'x-g': 1 },
  ],
  variables: {
    incoming: { threshold: '$var.job.memory', deep: { er: [null, 1, 'a'] } },
    outgoing: { return_value: null },
    error: '',
    decorators: [{ type: 'encryption', pointer: '/variables/incoming/password' }],
  },
  nodeLocation: { x: 300, y: -12.5 },
  retrySettings: { state: ['error'], autoRetry: true, limit: 3, delay: 3000 },
  'x-task': { kept: true },
};
const trigger = {
  ...stamps,
  _id: id(20),
  name: 'Nightly',
  enabled: true,
  actionType: 'automations',
  actionId: id(21),
};

export const backup = {
  id: id(30),
  name: 'edge-1',
  provider: ['gateway', 'orch-east'],
  type: 'native',
  date: when,
  rawConfig: 'hostname edge-1\r\n!\n',
  description: '',
  notes: 'x',
  gbac,
  'x-backup': 1,
};
export const treeVersion = {
  ...stamps,
  _id: id(8),
  id: id(9),
  treeId: id(9),
  name: 'Edge',
  version: 'initial',
  deviceType: 'cisco-ios',
  root,
  variables: { ntp: '192.0.2.9', vlans: [{ id: 10 }] },
  gbac: {},
  tags: ['edge', { _id: id(10), name: 'core' }],
  'x-version': 1,
};
export const treeSummary = {
  id: id(9),
  name: 'Edge',
  deviceType: 'cisco-ios',
  versions: ['initial', 'draft v2'],
  created: when,
  lastUpdated: when,
  gbac,
};
export const workflow = {
  name: '@00000000000000000000000b: Upgrade',
  type: 'automation',
  description: null,
  tasks: {
    workflow_start: { name: 'workflow_start', groups: [] },
    a1: task,
    workflow_end: { name: 'workflow_end' },
  },
  transitions: {
    workflow_start: { a1: { type: 'standard', state: 'success', 'x-edge': 1 } },
    workflow_end: {},
  },
  groups: [id(5)],
  errorHandler: null,
  font_size: 12,
  created: when,
  created_by: { username: 'ops@local', provenance: 'local', sso: true },
  last_updated_by: id(1),
  tags: [],
  canvasVersion: 3,
  decorators: [],
  inputSchema: { type: 'object', properties: { memory: { type: 'number' } }, required: ['memory'] },
  'x-workflow': [],
};
export const job = {
  _id: id(40),
  type: 'automation',
  name: 'Upgrade',
  description: null,
  status: 'running',
  created: when,
  created_by: null,
  last_updated: when,
  font_size: null,
  decorators: [],
  tags: [],
  error: [{ task: 'a1', message: { code: 500, displayString: 'no' }, timestamp: 1767225600000 }],
  warnings: [{ task: 'a1', name: 'evaluation', message: 'never true' }],
  ancestors: [id(40)],
  validationErrors: [
    { keyword: 'required', instancePath: '', schemaPath: '#/required', message: 'memory is missing' },
  ],
  tasks: {
    a1: {
      ...task,
      status: 'complete',
      iterations: ['7c1e4f0a-2b3c-4d5e-8f90-a1b2c3d4e5f6'],
      previous: { incomplete: [], complete: ['workflow_start'], error: [] },
      transitions: { success: [{ task: 'workflow_end', type: 'standard' }], failure: [], error: [] },
      start_time: when,
      end_time: 1767225600001,
      finish_state: 'success',
      parent: { task: 'b2', iteration: 0, element: 3 },
    },
    workflow_end: {
      name: 'workflow_end',
      start_time: 1767225600002,
      end_time: null,
      endTasks: ['a1'],
      metrics: {},
    },
  },
  variables: { _id: id(40), initiator: 'ops@local' },
  metrics: { start_time: 1767225600000, progress: 0.5, user: id(1) },
};
export const project = {
  ...stamps,
  _id: id(11),
  iid: 12,
  name: 'Software upgrade',
  description: '',
  members: [{ type: 'account', reference: id(1), role: 'owner', missing: false, 'x-member': 1 }],
  accessControl: { manage: [`account:${id(1)}`], write: [], execute: [], read: [] },
  componentIidIndex: 1,
  components: [{ iid: 1, type: 'workflow', reference: '7c1e4f0a-2b3c-4d5e-8f90-a1b2c3d4e5f6', folder: '/' }],
  folders: [
    {
      nodeType: 'folder',
      name: 'Checks',
      children: [
        { nodeType: 'folder', iid: 2, name: 'Deep', children: [{ nodeType: 'component', iid: 1, 'x-c': 0 }] },
      ],
    },
  ],
  createdBy: { _id: id(1), username: null, provenance: 'local', missing: true },
  versionHistory: [
    { versionNumber: 1, commitMessage: 'first', author: 'ops', branchName: 'main', 'x-commit': 'a' },
  ],
  gitConfiguration: {
    connectionType: 'https',
    repositoryPath: 'net/up',
    branchName: 'main',
    projectPath: '/',
  },
};
export const prebuilt = {
  metadata: {
    name: 'ios-upgrade',
    version: '1.2.3',
    description: 'Upgrades',
    author: 'ops',
    license: 'Apache-2.0',
    repository: { type: 'git', hostname: 'git.example.net', path: '/net/up', 'x-repo': null },
    keywords: ['ios'],
    gitlabId: 7,
  },
  manifest: {
    bundleName: 'ios-upgrade',
    artifacts: [
      { id: 'IOS precheck', name: 'IOS precheck', type: 'mop-template', location: '/bundles/a.json' },
    ],
    fingerprint: 'sha256-x',
    createdEpoch: '1767225600000',
  },
  bundles: [{ type: 'mop-template', data: { name: 'IOS precheck' }, 'x-bundle': 1 }],
  readme: '# Upgrade\n',
};
export const commandTemplate = {
  name: 'IOS precheck',
  os: '',
  passRule: true,
  commands: [
    {
      command: 'show version',
      passRule: false,
      rules: [
        {
          rule: '15.2',
          eval: 'contains',
          severity: 'warning',
          flags: { case: true },
          raw: '15.2',
          result: true,
        },
      ],
      tempCommand: 'show ver',
    },
  ],
  ignoreWarnings: null,
  created: 1767225600000,
  createdBy: null,
  lastUpdatedBy: 'ops@local',
};
export const analyticTemplate = {
  name: 'Before and after',
  os: 'cisco-ios',
  passRule: true,
  prepostCommands: [
    {
      preRawCommand: 'show version',
      postRawCommand: 'show version',
      passRule: true,
      rules: [
        {
          type: 'matches',
          preRegex: 'V(.*)',
          postRegex: 'V(.*)',
          evaulator: '=',
          severity: 'error',
          'x-r': 1,
        },
      ],
    },
  ],
};
export const automation = {
  ...stamps,
  _id: id(21),
  name: 'Upgrade',
  description: '',
  componentType: 'workflows',
  componentId: null,
  gbac,
};
export const exportedAutomation = {
  ...automation,
  gbac: { read: [{ name: 'noc', provenance: 'local', description: '' }], write: [id(5)] },
  triggers: [{ name: 'By hand', type: 'manual', enabled: true, createdBy: null, formData: { port: 1 } }],
};
export const triggers = [
  {
    ...trigger,
    type: 'manual',
    formId: null,
    formData: { a: [1] },
    formSchemaHash: 'ab',
    legacyWrapper: false,
  },
  {
    ...trigger,
    type: 'endpoint',
    verb: 'POST',
    routeName: 'upgrade.ios~1',
    schema: null,
    jst: null,
    'x-t': {},
  },
  {
    ...trigger,
    type: 'eventSystem',
    source: '@vendor/x',
    topic: 'done',
    schema: { type: 'object' },
    jst: id(22),
  },
  {
    ...trigger,
    type: 'schedule',
    firstRunAt: 1767225600000,
    nextRunAt: null,
    repeatUnit: 'day',
    repeatFrequency: 1,
  },
];
