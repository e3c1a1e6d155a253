import { integer, jsonb, pgTable } from 'drizzle-orm/pg-core';
import { orderedText } from './columns.ts';
import type { Device } from './schemas/network/device.ts';

/**
 * The origins that report a device, one row each (contract/lifecycle#4.1): a view over the gateway's inventories, written
 * by hand in the migration device_origins. Devices of an orchestrator can be added there as one more `union all`; readers
 * need no change.
 */
export const deviceOrigins = pgTable('device_origins', {
  id: orderedText().notNull(),
  name: orderedText().notNull(),
  origin: orderedText().notNull(),
  adapterType: orderedText('adapter_type').notNull(),
  /** Orders the origins of one name, without ties, from 0 on: requests go to the lowest. */
  rank: integer().notNull(),
  host: orderedText().notNull(),
  port: integer(),
  ostype: orderedText().notNull(),
  readGroups: jsonb('read_groups'),
  /** The device as this origin reports it, without `origins`. */
  doc: jsonb().$type<Device>().notNull(),
});

/**
 * The devices that a selection matches, as `selected_devices(selection)` returns them for each origin: written by hand in
 * the migration inventory. A condition on `readGroups` leaves those that a caller may see.
 */
export const selectedDevices = pgTable('selected_devices', {
  name: orderedText().notNull(),
  readGroups: jsonb('read_groups'),
});

/**
 * The members of a device group, as `device_group_members(doc)` returns them: the names that it lists, or what its
 * selection matches now.
 */
export const groupMembers = pgTable('device_group_members', {
  name: orderedText().notNull(),
  readGroups: jsonb('read_groups'),
});
