import type { Audience } from '#server/kernel/roles.ts';

/**
 * An endpoint whose rights a task needs. Worker processes load no routers, so the roles are repeated here; a test
 * compares them with those of the endpoint (test/security/rights/task-permissions.long.test.ts).
 */
export type Operation = {
  /** The endpoint as in permissions: `ConfigurationManager.backUpDevice`. */
  permission: string;
  /** The roles that may call it. */
  audience: Exclude<Audience, string>;
};

/** For tasks that work only on the data of their job, and for those that the engine or a user carries out. */
export const OWN_DATA: readonly Operation[] = [];

/** Declares the endpoint whose rights a task needs. */
export const operation = (permission: string, audience: Operation['audience']): Operation => ({
  permission,
  audience,
});
