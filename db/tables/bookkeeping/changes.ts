import { pgTable, timestamp } from 'drizzle-orm/pg-core';
import { orderedText } from '../../columns.ts';

/**
 * Devices that somebody changes at this moment, over all processes (contract/lifecycle#4.1). Whoever holds a row renews
 * `until`; one whose moment has passed is left by a process that was lost, and counts for nothing.
 */
export const deviceChanges = pgTable('device_changes', {
  device: orderedText().primaryKey(),
  /** Id of the change. */
  holder: orderedText().notNull(),
  until: timestamp({ withTimezone: true }).notNull(),
});
