import { sql } from 'drizzle-orm';
import { bigint, index, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

/**
 * Events as the transactions that caused them left them: one row a statement, with all its events. They have no id yet,
 * for nobody knows in which order transactions will commit (decision 0080).
 */
export const eventOutbox = pgTable('event_outbox', {
  n: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  events: jsonb().notNull(),
  at: timestamp({ withTimezone: true }).notNull().default(sql`clock_timestamp()`),
});

/**
 * Events in the order in which readers meet them (`sequence_events` in db/migrations): an id that is there is followed by
 * greater ones only.
 */
export const events = pgTable(
  'events',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    source: text().notNull(),
    topic: text().notNull(),
    /** Ids of what it is about, the one whose order counts first. */
    subjects: text().array().notNull(),
    /** What kind of document one must be able to read, and its ids: one of them is enough. */
    kind: text().notNull(),
    documents: text().array().notNull().default(sql`'{}'`),
    /** Who could read it then, for when the document is gone; null: everyone with the role. */
    readers: jsonb().$type<string[]>(),
    time: timestamp({ withTimezone: true }).notNull(),
    payload: jsonb().$type<Record<string, unknown>>().notNull(),
  },
  (t) => [index('events_subjects').using('gin', t.subjects), index('events_time').on(t.time)],
);

/** How far a part of the service has gone through the events; all processes share it. */
export const eventCursors = pgTable('event_cursors', {
  name: text().primaryKey(),
  eventId: bigint('event_id', { mode: 'number' }).notNull(),
});
