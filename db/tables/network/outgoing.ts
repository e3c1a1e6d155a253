import { pgTable } from 'drizzle-orm/pg-core';
import { document } from '../../columns.ts';
import type { OutgoingTargets } from '../../schemas/network/outgoing-targets.ts';

/** The destinations to which jobs may send requests (docs/operations.md): one row, once an admin has listed them. */
export const outgoingTargets = pgTable('outgoing_targets', { ...document<OutgoingTargets>() });
