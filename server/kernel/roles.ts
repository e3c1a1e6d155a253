/**
 * The roles of contract/endpoints#roles, in its order. A role is additive: apiwrite does not include apiread
 * (contract/lifecycle#0.8).
 */
export const ROLES = ['admin', 'apiread', 'apiwrite', 'designer', 'engineering', 'support', 'other'] as const;
export type Role = (typeof ROLES)[number];

/** Who may call: holders of one of these roles, anyone signed in, or anyone at all. */
export type Audience = readonly [Role, ...Role[]] | 'signed-in' | 'public';

/** The role sets of contract/lifecycle#0.8, under its names. */
export const ADMIN = ['admin'] as const;
export const CONFIG_READ = ['admin', 'apiread'] as const;
export const CONFIG_WRITE = ['admin', 'apiwrite'] as const;
export const STUDIO_READ = ['admin', 'apiread', 'designer'] as const;
export const STUDIO_WRITE = ['admin', 'apiwrite', 'designer'] as const;
/** Reads that stand among writes (contract/lifecycle#5.4, #5.7): SR and SW. */
export const STUDIO_READ_OR_WRITE = ['admin', 'apiread', 'apiwrite', 'designer'] as const;
/** Reads of orchestrators. */
export const ORCHESTRATOR_READ = ['admin', 'other'] as const;
export const WORKFLOW_READ = ['admin', 'apiread', 'designer', 'engineering', 'support'] as const;
/** Who reads automations and triggers (contract/lifecycle#6.1): the set OR, and designer. */
export const AUTOMATION_READ = ['admin', 'apiread', 'designer', 'engineering', 'support'] as const;
export const AUTOMATION_WRITE = ['admin', 'apiwrite', 'designer', 'engineering'] as const;
/** Who starts jobs. */
export const JOB_START = ['admin', 'apiwrite', 'engineering'] as const;
/** Who reads jobs and tasks. */
export const JOB_READ = ['admin', 'apiread', 'engineering', 'support'] as const;
/** Who acts on jobs and tasks. */
export const JOB_ACT = ['admin', 'apiwrite', 'engineering', 'support'] as const;
