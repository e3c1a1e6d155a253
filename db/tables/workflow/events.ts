import { sql } from 'drizzle-orm';
import { bigint, index, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

/**
 * Events as stored by the transactions that caused them: one row per statement, with all its events. They have no id yet,
 * because the order in which transactions commit is not known (decision 0080).
 */
export const eventOutbox = pgTable('event_outbox', {
  n: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  events: jsonb().notNull(),
  at: timestamp({ withTimezone: true }).notNull().default(sql`clock_timestamp()`),
});

/**
 * Events in the order in which readers receive them (`sequence_events` in db/migrations): once an id is visible, only
 * greater ones follow.
 */
export const events = pgTable(
  'events',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    source: text().notNull(),
    topic: text().notNull(),
    /** Ids of the objects of the event, first the one that determines the order. */
    subjects: text().array().notNull(),
    /** Kind and ids of the documents that decide: a reader must be able to read at least one of them. */
    kind: text().notNull(),
    documents: text().array().notNull().default(sql`'{}'`),
    /** Readers at the time of the event, for when the document is deleted; null: everyone with the role. */
    readers: jsonb().$type<string[]>(),
    time: timestamp({ withTimezone: true }).notNull(),
    payload: jsonb().$type<Record<string, unknown>>().notNull(),
  },
  (t) => [index('events_subjects').using('gin', t.subjects), index('events_time').on(t.time)],
);

/** Position of a part of the service in the events, shared by all processes. */
export const eventCursors = pgTable('event_cursors', {
  name: text().primaryKey(),
  eventId: bigint('event_id', { mode: 'number' }).notNull(),
});
