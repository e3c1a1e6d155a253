import { sql } from 'drizzle-orm';
import {
  boolean,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { document, orderedText, requiredTextOf, textOf } from '../../columns.ts';
import type { Adapter, AdapterChange } from '../../schemas/network/adapter.ts';
import type { Device } from '../../schemas/network/device.ts';

/** Connections to orchestrators and other systems, by name (contract/lifecycle#9); the document holds secrets sealed. */
export const adapters = pgTable('adapters', {
  ...document<Adapter>(),
  /** Whether the adapter should run; every process follows this. */
  active: boolean().notNull().default(true),
  startedAt: timestamp('started_at', { withTimezone: true }).notNull().defaultNow(),
  /** Duration of the previous run, in seconds. */
  ranFor: doublePrecision('ran_for').notNull().default(0),
  /** Whether the other side answered last; null: not probed since the adapter was started or changed. */
  online: boolean(),
  /** The error when it did not answer. */
  detail: text(),
  /** Number of consecutive failures. */
  failed: integer().notNull().default(0),
  probedAt: timestamp('probed_at', { withTimezone: true }),
  /** Order of creation: if several adapters report a device, the first one is used. */
  place: integer().notNull().generatedAlwaysAsIdentity(),
  /** When its devices were last read, or when a process last began to read them. */
  syncedAt: timestamp('synced_at', { withTimezone: true }),
  /** Who changed which fields, newest first; names only. */
  changelog: jsonb().$type<AdapterChange[]>().notNull().default(sql`'[]'::jsonb`),
});

/** Devices as reported by orchestrators (contract/lifecycle#11). The view `device_origins` includes them. */
export const adapterDevices = pgTable(
  'adapter_devices',
  {
    ...document<Device>(),
    adapter: orderedText()
      .notNull()
      .references(() => adapters.id, { onDelete: 'cascade' }),
    name: requiredTextOf('name'),
    host: textOf('host'),
    ostype: textOf('ostype'),
  },
  (t) => [
    uniqueIndex('adapter_devices_adapter').on(t.adapter, t.name),
    index('adapter_devices_name').on(t.name),
  ],
);
