import { sql } from 'drizzle-orm';
import {
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { document, flagOf, orderedText, requiredTextOf, textOf } from '../../columns.ts';
import type { Account, Group, Role } from '../../schemas/identity/account.ts';

export const accounts = pgTable(
  'accounts',
  {
    ...document<Account>(),
    username: requiredTextOf('username'),
    provenance: requiredTextOf('provenance'),
    inactive: flagOf('inactive'),
    isServiceAccount: flagOf('isServiceAccount', 'is_service_account'),
    /** A deleted service account: the row stays so that its id still has a name, but the name can be used again. */
    deleted: flagOf('deleted'),
    /** Stored separately: a sign-in does not change the account's document, and preferences are private to the user. */
    lastLogin: timestamp('last_login', { withTimezone: true }),
    preferences: jsonb().$type<Record<string, unknown>>(),
  },
  (t) => [
    uniqueIndex('accounts_username').on(t.username, t.provenance).where(sql`deleted is not true`),
    // The unique index leaves deleted accounts out, which lists include.
    index('accounts_named').on(t.username),
    index('accounts_groups').using('gin', sql`(doc -> 'memberOf') jsonb_path_ops`),
  ],
);

/** The credentials of an account, stored separately so that no list and no export can contain them. */
export const credentials = pgTable('credentials', {
  accountId: text('account_id')
    .primaryKey()
    .references(() => accounts.id, { onDelete: 'cascade' }),
  hash: text().notNull(),
  /** Incremented when the secret is replaced: tokens issued under an older one are rejected. */
  generation: integer().notNull().default(1),
});

export const groups = pgTable(
  'groups',
  {
    ...document<Group>(),
    name: requiredTextOf('name'),
    provenance: requiredTextOf('provenance'),
  },
  (t) => [
    uniqueIndex('groups_name').on(t.name, t.provenance),
    index('groups_groups').using('gin', sql`(doc -> 'memberOf') jsonb_path_ops`),
  ],
);

export const roles = pgTable(
  'roles',
  {
    ...document<Role>(),
    name: requiredTextOf('name'),
    provenance: textOf('provenance'),
    /** Whether it comes with the methods of the same provenance, and goes with them. */
    provided: boolean().notNull().default(false),
  },
  (t) => [uniqueIndex('roles_name').on(t.name, t.provenance)],
);

/** Methods that something stored provides, such as an integration model; roles can grant them like endpoints. */
export const providedMethods = pgTable(
  'provided_methods',
  {
    provenance: orderedText().notNull(),
    name: orderedText().notNull(),
    /** Position among the methods of the same provenance. */
    place: integer().notNull(),
    verb: text().notNull(),
    path: text().notNull(),
    deprecated: boolean().notNull(),
    isRead: boolean('is_read').notNull(),
  },
  (t) => [primaryKey({ columns: [t.provenance, t.name] })],
);

/** Sessions of signed-in users; only the hash of the token is stored (contract/decisions#3). */
export const sessions = pgTable(
  'sessions',
  {
    tokenHash: text('token_hash').primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    /** Identifies the session to its owner; the token cannot be derived from it. */
    id: text().notNull().default(sql`substr(replace(gen_random_uuid()::text, '-', ''), 1, 24)`),
    address: text().notNull(),
    userAgent: text('user_agent').notNull().default(''),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    lastUsedAt: timestamp('last_used_at', { withTimezone: true }).notNull().defaultNow(),
    /** The provider through which the user signed in, and its names of session and user; null: signed in here. */
    providerId: text('provider_id'),
    providerSession: text('provider_session'),
    subject: text(),
    /** Tokens of the provider, sealed. */
    providerTokens: text('provider_tokens'),
    /** When the session was last compared with the provider, and when the provider last confirmed it. */
    providerCheckedAt: timestamp('provider_checked_at', { withTimezone: true }).notNull().defaultNow(),
    providerConfirmedAt: timestamp('provider_confirmed_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('sessions_id').on(t.id),
    index('sessions_account').on(t.accountId),
    index('sessions_last_used').on(t.lastUsedAt),
    index('sessions_provider').on(t.providerId, t.subject).where(sql`provider_id is not null`),
  ],
);

/** Tokens that users created for their programs; only the hash is stored, as for sessions. */
export const personalTokens = pgTable(
  'personal_tokens',
  {
    id: text().primaryKey(),
    tokenHash: text('token_hash').notNull(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    /** Names of the roles that the token may use; the account must hold them at each use. */
    roles: jsonb().$type<string[]>().notNull(),
    readOnly: boolean('read_only').notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
    lastUsedAt: timestamp('last_used_at', { withTimezone: true }),
  },
  (t) => [
    uniqueIndex('personal_tokens_hash').on(t.tokenHash),
    index('personal_tokens_account').on(t.accountId),
  ],
);

/** Counters of the sign-in throttle: attempts per key since its window began. */
export const throttle = pgTable(
  'throttle',
  {
    key: text().primaryKey(),
    points: integer().notNull(),
    expire: timestamp({ withTimezone: true }).notNull(),
  },
  (t) => [index('throttle_expire').on(t.expire)],
);
