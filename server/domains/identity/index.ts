/**
 * Accounts, groups, roles, sessions, and the rights of each caller.
 * Other domains, routers and the service import only this file.
 */

export * from './accounts/account-lists.service.ts';
export {
  assertMayChangePassword,
  changePassword,
  createAccount,
  forceLogout,
  getAccount,
  updateAccount,
} from './accounts/accounts.service.ts';
export { exportAccess } from './accounts/export.service.ts';
export {
  createGroup,
  deleteGroup,
  getGroup,
  listGroupNames,
  updateGroup,
} from './accounts/groups.service.ts';
export {
  createServiceAccount,
  deleteServiceAccount,
  issueToken,
  regenerateSecret,
  updateServiceAccount,
} from './accounts/service-accounts.service.ts';
export * from './accounts/whoami.service.ts';
export { openDirectories } from './providers/directories.service.ts';
export {
  endByProvider,
  finishOidc,
  readLogoutLink,
  startOidc,
} from './providers/oidc/oidc-sign-in.service.ts';
export { failingProviders } from './providers/provider-contacts.service.ts';
export * from './providers/provider-test.service.ts';
export {
  createProvider,
  deleteProvider,
  getProvider,
  listProviders,
  listSignInMethods,
  updateProvider,
} from './providers/providers.service.ts';
export * from './rights/access-default.service.ts';
export { activeCaller } from './rights/account-caller.service.ts';
export { effectiveRightsOf } from './rights/effective-rights.service.ts';
export { assertConsistent, assertMayWrite, mayWrite } from './rights/gbac.ts';
export * from './rights/import-groups.service.ts';
export {
  assertGroupsKnownOrUnchanged,
  assertKnownGbac,
  assertKnownGroups,
  unknownInGbac,
} from './rights/known-groups.service.ts';
export * from './rights/listed-documents.service.ts';
export { provideRights, withdrawRights } from './rights/provided-rights.service.ts';
export * from './rights/roles.service.ts';
export * from './rights/same-person.service.ts';
export * from './rights/seed.service.ts';
export { assertOwnPassword, withAttempt } from './second-factor/factor-proof.service.ts';
export {
  confirmSecondFactor,
  disableSecondFactor,
  readSecondFactor,
  removeSecondFactor,
  startSecondFactor,
} from './second-factor/second-factor.service.ts';
export * from './second-factor/security-keys.service.ts';
export * from './sessions/access-gate.service.ts';
export * from './sessions/personal-tokens.service.ts';
export {
  endOwnSession,
  isAlive,
  listOwnSessions,
  type SessionLimits,
  sessionLimitsOf,
} from './sessions/sessions.service.ts';
export { signIn, signOut } from './sessions/sign-in.service.ts';
export { sourceOf } from './sessions/source.ts';
