import { integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { moment, orderedText } from '../../columns.ts';
import { adapters } from './adapters.ts';

const ownAdapter = () =>
  orderedText()
    .notNull()
    .references(() => adapters.id, { onDelete: 'cascade' });

/** Access tokens that integrations fetched, one for each security scheme (docs/integrations.md). */
export const integrationTokens = pgTable(
  'integration_tokens',
  {
    adapter: ownAdapter(),
    scheme: orderedText().notNull(),
    /** The token response, sealed; null until one was fetched. */
    sealed: text(),
    /** Identifies the credentials that the token was fetched with, without revealing them. */
    fingerprint: text().notNull(),
    /** When the token ends; null: unknown. */
    expiresAt: moment('expires_at'),
    /** Until when one process may take to fetch a new token; others wait meanwhile. */
    renewingUntil: moment('renewing_until'),
  },
  (t) => [primaryKey({ columns: [t.adapter, t.scheme] })],
);

/** The pace of an integration with a rate limit, over all processes. */
export const integrationRates = pgTable('integration_rates', {
  adapter: ownAdapter().primaryKey(),
  /** When the next request is due if requests are sent at an even pace (generic cell rate algorithm). */
  nextAt: moment('next_at').notNull(),
});

/** The requests that an integration may have under way, over all processes: one row each. */
export const integrationSlots = pgTable(
  'integration_slots',
  {
    adapter: ownAdapter(),
    slot: integer().notNull(),
    /** The request that occupies the slot; null: none. */
    holder: text(),
    /** When the slot is free again even if its process was lost. */
    until: moment('until').notNull(),
  },
  (t) => [primaryKey({ columns: [t.adapter, t.slot] })],
);
