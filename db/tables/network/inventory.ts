import { sql } from 'drizzle-orm';
import {
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { document, orderedText, requiredTextOf } from '../../columns.ts';
import type { InventoryRun, InventorySource } from '../../schemas/network/inventory-source.ts';

/** Systems from which the inventory of the gateway is filled (docs/inventory.md). */
export const inventorySources = pgTable(
  'inventory_sources',
  {
    ...document<InventorySource>(),
    name: requiredTextOf('name'),
    /** Sealed secrets by their path in the document. */
    secrets: jsonb().$type<Record<string, string>>().notNull().default({}),
    /** The account that last wrote the source: scheduled runs use its rights. */
    account: text().notNull(),
    /** When the next scheduled run is due; null: never. */
    dueAt: timestamp('due_at', { withTimezone: true }),
  },
  (t) => [
    uniqueIndex('inventory_sources_name').on(t.name),
    index('inventory_sources_due').on(t.dueAt).where(sql`due_at is not null`),
  ],
);

/** Runs that read a source; the newest of each source are kept. */
export const inventoryRuns = pgTable(
  'inventory_runs',
  {
    id: orderedText().primaryKey(),
    source: text().notNull(),
    doc: jsonb().$type<InventoryRun>().notNull(),
    account: text().notNull(),
    status: text().notNull(),
    started: timestamp({ withTimezone: true }).notNull().defaultNow(),
    /** When its progress was last published (run_events_once_a_second). */
    published: timestamp({ withTimezone: true }),
  },
  (t) => [
    index('inventory_runs_source').on(t.source, t.started.desc()),
    // a source has one run at a time
    uniqueIndex('inventory_runs_running').on(t.source).where(sql`status = 'running'`),
  ],
);

/** The hosts that a run read from its source, in batches, until the run ends. */
export const inventoryRunBatches = pgTable(
  'inventory_run_batches',
  { run: text().notNull(), batch: integer().notNull(), items: jsonb().notNull() },
  (t) => [primaryKey({ columns: [t.run, t.batch] })],
);
