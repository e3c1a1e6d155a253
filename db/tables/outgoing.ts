import { pgTable } from 'drizzle-orm/pg-core';
import { document } from '../columns.ts';
import type { OutgoingTargets } from '../schemas/network/outgoing-targets.ts';

/** One row, once an admin listed where jobs may send requests to (docs/operations.md). */
export const outgoingTargets = pgTable('outgoing_targets', { ...document<OutgoingTargets>() });
