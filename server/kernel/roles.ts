/**
 * The roles of contract/endpoints#roles, in its order. A role is additive: apiwrite does not include apiread
 * (contract/lifecycle#0.8).
 */
export const ROLES = ['admin', 'apiread', 'apiwrite', 'designer', 'engineering', 'support', 'other'] as const;
export type Role = (typeof ROLES)[number];

/** The callers that an endpoint accepts: holders of one of these roles, any signed-in user, or anyone. */
export type Audience = readonly [Role, ...Role[]] | 'signed-in' | 'public';

/** The role sets of contract/lifecycle#0.8. */
export const ADMIN = ['admin'] as const;
export const CONFIG_READ = ['admin', 'apiread'] as const;
export const CONFIG_WRITE = ['admin', 'apiwrite'] as const;
export const STUDIO_READ = ['admin', 'apiread', 'designer'] as const;
export const STUDIO_WRITE = ['admin', 'apiwrite', 'designer'] as const;
/** Reads within write areas (contract/lifecycle#5.4, #5.7): STUDIO_READ and STUDIO_WRITE together. */
export const STUDIO_READ_OR_WRITE = ['admin', 'apiread', 'apiwrite', 'designer'] as const;
/** Reads of orchestrators. */
export const ORCHESTRATOR_READ = ['admin', 'other'] as const;
export const WORKFLOW_READ = ['admin', 'apiread', 'designer', 'engineering', 'support'] as const;
/** Reads of automations and triggers (contract/lifecycle#6.1): JOB_READ and designer. */
export const AUTOMATION_READ = ['admin', 'apiread', 'designer', 'engineering', 'support'] as const;
export const AUTOMATION_WRITE = ['admin', 'apiwrite', 'designer', 'engineering'] as const;
/** Starts of jobs. */
export const JOB_START = ['admin', 'apiwrite', 'engineering'] as const;
/** Reads of jobs and tasks. */
export const JOB_READ = ['admin', 'apiread', 'engineering', 'support'] as const;
/** Actions on jobs and tasks. */
export const JOB_ACT = ['admin', 'apiwrite', 'engineering', 'support'] as const;
