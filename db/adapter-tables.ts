import { sql } from 'drizzle-orm';
import { boolean, doublePrecision, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { document } from './columns.ts';
import type { Adapter, AdapterChange } from './schemas/adapter.ts';

/** Connections to orchestrators and other systems, by name (lifecycle §9); secrets stand sealed in the document. */
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
  probedAt: timestamp('probed_at', { withTimezone: true }),
  /** Who changed which members, newest first: names only. */
  changelog: jsonb().$type<AdapterChange[]>().notNull().default(sql`'[]'::jsonb`),
});
