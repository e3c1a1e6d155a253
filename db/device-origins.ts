import { integer, jsonb, pgTable } from 'drizzle-orm/pg-core';
import { orderedText } from './columns.ts';
import type { Device } from './schemas/network/device.ts';

/**
 * Who reports a device, one row each (contract/lifecycle#4.1): a view over the inventories of the gateway, made by hand in
 * the migration device_origins. What an orchestrator reports joins it as one more `union all` there; readers stay as they
 * are.
 */
export const deviceOrigins = pgTable('device_origins', {
  id: orderedText().notNull(),
  name: orderedText().notNull(),
  origin: orderedText().notNull(),
  adapterType: orderedText('adapter_type').notNull(),
  /** Orders the origins of one name, no two alike: the lowest is who is asked. From 0 on. */
  rank: integer().notNull(),
  host: orderedText().notNull(),
  port: integer(),
  ostype: orderedText().notNull(),
  readGroups: jsonb('read_groups'),
  /** The device as this origin tells it, without `origins`. */
  doc: jsonb().$type<Device>().notNull(),
});
