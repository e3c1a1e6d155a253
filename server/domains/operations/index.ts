/** Profiles and applications of the platform. Other domains, routers and the service import only this file. */

export * from './applications/applications.service.ts';
export {
  applicationNamed,
  areasOf,
  HEALTH_FIELDS,
  levelIn,
  merge,
  RUN_WORDS,
  withLevel,
} from './applications/applications.ts';
export { openGoverning } from './applications/governing.service.ts';
export { openPartLogs } from './applications/part-logs.service.ts';
export { PARTS } from './applications/parts.service.ts';
export { openRunning } from './applications/running.service.ts';
export { loggerIssues } from './profiles/profile-rules.ts';
export * from './profiles/profiles.service.ts';
export { seedPlatform } from './profiles/seed.service.ts';
export {
  getRetention,
  getRetentionRun,
  listRetentionRuns,
  previewRetention,
  replaceRetention,
  runRetention,
} from './retention/retention.service.ts';
export { readKeyRenewal } from './secrets/key-renewal.service.ts';
export { failingSecretProviders, noteProviderState } from './secrets/provider-state.service.ts';
export * from './secrets/providers.service.ts';
export { listUsedReferences } from './secrets/used-references.service.ts';
