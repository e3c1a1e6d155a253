import type { Profile } from '#db/schemas/operations/profile.ts';

/** Facts about this installation that the default sections contain. */
export type InstallationFacts = {
  /** Names of the services: applications and built-in adapters. */
  services: readonly string[];
  /** TCP port that the service listens on. */
  port: number;
};

type Sections = Omit<Profile, 'id'>;

/**
 * Returns the documented sections of a profile with this platform's default values (contract/resources#2.15), for the
 * sections that a new profile lacks. There is no log level among them: where a profile has none, LOG_LEVEL decides
 * (docs/decisions/0021).
 */
export const defaultSections = ({ services, port }: InstallationFacts): Sections => ({
  description: '',
  services: [...services],
  applicationProps: { directory: 'routers', description: 'Applications are part of the platform' },
  uiProps: {
    layout: '',
    home: '/',
    login: '/login',
    profile: '',
    fav_icon: '',
    description: 'Pages of the console',
  },
  authenticationProps: {
    uniqueSession: false,
    admins: [],
    description: 'Signing in and sessions',
    logoutTime: 60,
    sessionMaximum: 720,
    cookieName: 'token',
    brokerPrincipal: false,
  },
  expressProps: {
    express_http: { enable: true, port },
    express_https: { enable: false },
    description: 'HOST and PORT set the address on which the service listens',
    cacheControl: false,
    timeout: 300_000,
    access_control_allow_origin: '',
  },
  loggerProps: {
    description: 'Lines are written to standard error; without a level here, LOG_LEVEL applies',
    log_timezone_offset: 0,
  },
  redisProps: { sentinels: [], db: 0, maxRetriesPerRequest: 20, maxHeartbeatWriteRetries: 20 },
  auditProps: { audit: true, brokerValidation: false, description: 'Every write is recorded' },
  pathProps: { encrypted: true, description: 'Paths of private keys are stored encrypted' },
  alarmProps: [],
  rabbitmq: {
    hosts: [],
    eventDeduplication: { active: true, cacheTtl: 60_000, cacheSize: 10_000 },
  },
  adapterStrategy: {
    device: { adapterTypes: ['Orchestrator', 'Gateway'], exceptions: { runCommand: 'Gateway' } },
  },
  systemProps: { shutdownTimeout: 10, servicesBlacklist: [], externalRequestTimeout: 60 },
  prebuiltProps: { repoConfigs: {} },
  integrationProps: { threadCount: 2, timeout: 60 },
  retryStrategy: { maxRetries: 5, retryResetTimer: 60_000 },
});
