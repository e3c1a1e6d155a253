import { sql } from 'drizzle-orm';
import { bigint, boolean, index, integer, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { document, flagOf, moment, orderedText, requiredTextOf } from '../../columns.ts';
import type { NotificationChannel } from '../../schemas/notifications/channel.ts';
import type { SentEvent } from '../../schemas/notifications/delivery.ts';
import type { NotificationRule } from '../../schemas/notifications/rule.ts';

/** Receivers of notifications (docs/notifications.md); the document holds masks in place of secrets. */
export const notificationChannels = pgTable(
  'notification_channels',
  {
    ...document<NotificationChannel>(),
    name: requiredTextOf('name'),
    /** Secrets by field, sealed. */
    secrets: jsonb().$type<Record<string, string>>().notNull().default(sql`'{}'::jsonb`),
  },
  (t) => [uniqueIndex('notification_channels_name').on(t.name)],
);

/** Rules that state which events are sent to which channels. */
export const notificationRules = pgTable(
  'notification_rules',
  {
    ...document<NotificationRule>(),
    name: requiredTextOf('name'),
    runAs: requiredTextOf('runAs', 'run_as'),
    enabled: flagOf('enabled'),
  },
  (t) => [uniqueIndex('notification_rules_name').on(t.name), index('notification_rules_run_as').on(t.runAs)],
);

/** Notifications on their way; the id is the idempotency key that receivers get. */
export const notificationDeliveries = pgTable(
  'notification_deliveries',
  {
    id: orderedText().primaryKey(),
    ruleId: orderedText('rule_id')
      .notNull()
      .references(() => notificationRules.id, { onDelete: 'cascade' }),
    channelId: orderedText('channel_id')
      .notNull()
      .references(() => notificationChannels.id, { onDelete: 'cascade' }),
    /** Id of its first event. */
    eventId: bigint('event_id', { mode: 'number' }).notNull(),
    topic: text().notNull(),
    /** Its events, at most 100; `eventCount` counts all. */
    events: jsonb().$type<SentEvent[]>().notNull(),
    eventCount: integer('event_count').notNull(),
    /** Whether further events of the rule still join it. */
    collecting: boolean().notNull().default(false),
    status: text().$type<'sent' | 'retrying' | 'dead'>().notNull().default('retrying'),
    attempts: integer().notNull().default(0),
    lastError: text('last_error'),
    /** Receivers of a mail that have it, while the server accepts others later; null: none. */
    acceptedBy: text('accepted_by').array(),
    createdAt: moment('created_at').notNull().defaultNow(),
    /** The earliest time of the next attempt. */
    dueAt: moment('due_at').notNull(),
    endedAt: moment('ended_at'),
  },
  (t) => [
    index('notification_deliveries_due').on(t.channelId, t.dueAt).where(sql`status = 'retrying'`),
    index('notification_deliveries_collecting').on(t.ruleId, t.channelId).where(sql`collecting`),
    index('notification_deliveries_status').on(t.status, t.id),
    index('notification_deliveries_channel').on(t.channelId, t.status, t.id),
    index('notification_deliveries_rule').on(t.ruleId, t.id),
    index('notification_deliveries_ended').on(t.endedAt).where(sql`ended_at is not null`),
  ],
);

/** The work of each channel: at most one run at a time, and the outcome of the latest attempts. */
export const notificationQueues = pgTable('notification_queues', {
  channelId: orderedText('channel_id')
    .primaryKey()
    .references(() => notificationChannels.id, { onDelete: 'cascade' }),
  /** Number of the latest run that was requested; earlier ones do nothing. */
  run: bigint({ mode: 'number' }).notNull().default(0),
  /** Start of that run; null: none is requested. */
  dueAt: moment('due_at'),
  failingSince: moment('failing_since'),
  lastError: text('last_error'),
  lastSentAt: moment('last_sent_at'),
  /** Nothing is sent before: the receiver asked for it (`Retry-After`). */
  pausedUntil: moment('paused_until'),
});
