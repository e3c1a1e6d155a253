import { prebuilt } from './invented.ts';

/** Invented documents of the platform itself: settings, people, health. */

const id = (n: number) => n.toString(16).padStart(24, '0');
const when = '2026-02-03T04:05:06.789Z';

const syslog = {
  level: 'warn',
  facility: 'local0',
  type: 'BSD',
  host: '192.0.2.61',
  port: 514,
  pid: 4,
  eol: '\n',
};
const loggerProps = { log_level: 'trace', console_level: 'error', log_max_files: 10, syslog, 'x-log': 1 };
export const profile = {
  metadata: { isActive: true, activeSync: false },
  profile: {
    id: 'lab',
    description: '',
    services: ['OperationsManager'],
    authenticationProps: {
      uniqueSession: false,
      admins: [{ provenance: 'local', group: 'noc' }],
      logoutTime: 60,
    },
    expressProps: { express_https: { enable: true, port: 3443, passphrase: '<PASSPHRASE>', 'x-tls': [] } },
    loggerProps: { ...loggerProps, webserver: { log_filename: 'access.log' } },
    redisProps: { sentinels: [{ host: '192.0.2.40', port: 26379 }], password: '<PASSWORD>', host: 'x' },
    alarmProps: [{ ip: '192.0.2.60', type: 'trap', properties: { retries: 1, version: 2 } }],
    rabbitmq: {
      hosts: ['192.0.2.50'],
      eventDeduplication: { active: true, messagePreservation: { strategy: 's' } },
    },
    adapterStrategy: { device: { adapterTypes: ['Gateway'], exceptions: { runCommand: 'Gateway' } } },
    prebuiltProps: { repoConfigs: { '@net': { enabled: true, credentials: { token: '<ACCESS_TOKEN>' } } } },
  },
};
export const application = {
  metadata: { isActive: true },
  data: {
    name: 'OperationsManager',
    type: 'Application',
    model: '@vendor/app-operations_manager',
    isEncrypted: false,
    loggerProps,
    properties: { id: 'OperationsManager', brokers: [], groups: [id(5)], 'x-setting': { kept: 1 } },
    eventDeduplication: { active: false, cacheTtl: 1000, algorithm: 'md5', uniqueProps: ['/id'] },
  },
};
export const orchestratorConnection = {
  protocol: 'https',
  host: 'orch.example.net',
  port: 8888,
  authentication: { auth_method: 'basic', username: 'svc', password: '********' },
  tls: { enabled: true, rejectUnauthorized: true, 'x-tls': 'kept' },
};
export const adapter = {
  name: 'orch-east',
  type: 'Adapter',
  model: '@vendor/adapter-orchestrator',
  properties: {
    id: 'orch-east',
    type: 'Orchestrator',
    brokers: ['device'],
    properties: orchestratorConnection,
  },
  loggerProps,
  isEncrypted: true,
  virtual: false,
};
export const group = {
  _id: id(6),
  provenance: 'local',
  name: 'noc',
  memberOf: [{ groupId: id(7), aaaManaged: false }],
};
export const account = {
  _id: id(1),
  username: 'ops@local',
  memberOf: [],
  assignedRoles: [{ roleId: id(50) }],
  _meta: { created: when },
};
export const auditEntry = {
  _id: id(60),
  time: when,
  account: null,
  operation: 'configurationManager.updateTree',
  document: null,
  outcome: 'refused',
  status: 403,
  requestId: 'r-1',
};
export const role = {
  _id: id(50),
  provenance: 'platform',
  name: 'apiread',
  allowedMethods: [{ name: 'getJobs', provenance: 'OperationsManager', 'x-method': 1 }],
  allowedViews: [{ path: '/operations-manager/', provenance: 'OperationsManager' }],
};
export const whoAmI = {
  id: id(1),
  provenance: 'local',
  username: 'ops@local',
  firstname: '',
  groups: [{ id: id(6), provenance: 'local', name: 'noc' }],
  roles: ['apiread'],
  routes: ['/operations-manager/'],
  methods: { OperationsManager: ['getJobs'] },
};
export const installedPrebuilt = {
  _id: id(70),
  ...prebuilt.metadata,
  IAPDependencies: {},
  components: [{ id: 'IOS precheck', name: 'IOS precheck', type: 'mop-template' }],
  manifest: prebuilt.manifest,
  installed: when,
};
const runtime =
  'node v8 uv zlib brotli ares modules nghttp2 napi llhttp http_parser openssl cldr icu tz unicode';
const parts = 'audit-trail event-system network service logger database utils';
export const serverHealth = {
  version: '2026.1.0',
  release: '2026.1.0',
  arch: 'arm64',
  platform: 'linux',
  versions: Object.fromEntries([...runtime.split(' '), 'undici'].map((name) => [name, '1.2.3'])),
  memoryUsage: { rss: 4, heapTotal: 3, heapUsed: 2, external: 1, arrayBuffers: 0 },
  cpuUsage: { user: 12, system: 3 },
  uptime: 512.5,
  pid: 71,
  dependencies: Object.fromEntries(parts.split(' ').map((part) => [`@vendor/${part}`, '2026.1.0'])),
};
