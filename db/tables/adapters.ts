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
import { document, orderedText, requiredTextOf, textOf } from '../columns.ts';
import type { Adapter, AdapterChange } from '../schemas/network/adapter.ts';
import type { Device } from '../schemas/network/device.ts';

/** Connections to orchestrators and other systems, by name (contract/lifecycle#9); secrets stand sealed in the document. */
export const adapters = pgTable('adapters', {
  ...document<Adapter>(),
  /** Whether it should run: what every process follows. */
  active: boolean().notNull().default(true),
  startedAt: timestamp('started_at', { withTimezone: true }).notNull().defaultNow(),
  /** Seconds that the run before this one lasted. */
  ranFor: doublePrecision('ran_for').notNull().default(0),
  /** Whether the other side answered last; null: not asked since it was started or changed. */
  online: boolean(),
  /** What was wrong when it did not. */
  detail: text(),
  /** Times in a row that it did not. */
  failed: integer().notNull().default(0),
  probedAt: timestamp('probed_at', { withTimezone: true }),
  /** In which order adapters were made: of several that report a device, the first is asked. */
  place: integer().notNull().generatedAlwaysAsIdentity(),
  /** When its devices were read last, or when somebody set out to read them. */
  syncedAt: timestamp('synced_at', { withTimezone: true }),
  /** Who changed which members, newest first: names only. */
  changelog: jsonb().$type<AdapterChange[]>().notNull().default(sql`'[]'::jsonb`),
});

/** What orchestrators report as devices (contract/lifecycle#11). The view `device_origins` joins it. */
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
