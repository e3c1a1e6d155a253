/**
 * The roles of contract/endpoints#roles, in its order. A role is additive: apiwrite does not include apiread
 * (contract/lifecycle#0.8).
 */
export const ROLES = ['admin', 'apiread', 'apiwrite', 'designer', 'engineering', 'support', 'other'] as const;
export type Role = (typeof ROLES)[number];

/** Who may call: holders of one of these roles, anyone signed in, or anyone at all. */
export type Audience = readonly [Role, ...Role[]] | 'signed-in' | 'public';

/** The role sets of contract/lifecycle#0.8, under its names. */
export const A = ['admin'] as const;
export const R = ['admin', 'apiread'] as const;
export const W = ['admin', 'apiwrite'] as const;
export const SR = ['admin', 'apiread', 'designer'] as const;
export const SW = ['admin', 'apiwrite', 'designer'] as const;
/** Reads that stand among writes (contract/lifecycle#5.4, #5.7): SR and SW. */
export const SRW = ['admin', 'apiread', 'apiwrite', 'designer'] as const;
/** Reads of orchestrators. */
export const N = ['admin', 'other'] as const;
export const BH = ['admin', 'apiread', 'designer', 'engineering', 'support'] as const;
/** Who reads automations and triggers (contract/lifecycle#6.1): the set OR, and designer. */
export const ORD = ['admin', 'apiread', 'designer', 'engineering', 'support'] as const;
export const OC = ['admin', 'apiwrite', 'designer', 'engineering'] as const;
/** Who starts jobs. */
export const OX = ['admin', 'apiwrite', 'engineering'] as const;
/** Who reads jobs and tasks. */
export const OR = ['admin', 'apiread', 'engineering', 'support'] as const;
/** Who acts on jobs and tasks. */
export const OM = ['admin', 'apiwrite', 'engineering', 'support'] as const;
