import { pgTable, timestamp } from 'drizzle-orm/pg-core';
import { orderedText } from '../../columns.ts';

/**
 * Devices that are being changed now, over all processes (contract/lifecycle#4.1). The holder of a row renews `until`; an
 * expired row was left by a lost process and is ignored.
 */
export const deviceChanges = pgTable('device_changes', {
  device: orderedText().primaryKey(),
  /** Id of the change. */
  holder: orderedText().notNull(),
  until: timestamp({ withTimezone: true }).notNull(),
});
