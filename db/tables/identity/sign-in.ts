import {
  bigint,
  boolean,
  index,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { document, orderedText, requiredTextOf } from '../../columns.ts';
import type { AccessDefault } from '../../schemas/identity/access-default.ts';
import type { SignInProvider } from '../../schemas/identity/sign-in-provider.ts';
import { accounts } from './accounts.ts';

/** The directories in which users sign in; secrets are sealed (docs/sign-in.md). */
export const signInProviders = pgTable('sign_in_providers', {
  ...document<SignInProvider>(),
  name: requiredTextOf('name').unique('sign_in_providers_name'),
});

/** The outcome of the last contact with each provider. */
export const providerContacts = pgTable('sign_in_provider_contacts', {
  providerId: text('provider_id').primaryKey(),
  ok: boolean().notNull(),
  reason: text(),
  detail: text().notNull(),
  at: timestamp({ withTimezone: true }).notNull().defaultNow(),
});

/** Which account a user of a directory has: found by what identifies the user there for good, never by a name. */
export const directoryIdentities = pgTable(
  'directory_identities',
  {
    providerId: text('provider_id').notNull(),
    subject: orderedText().notNull(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    /** The names of the user's groups in the directory, as last read. */
    groups: jsonb().$type<string[]>().notNull(),
    /** When a request last began to compare the account with the directory, and when the directory last answered. */
    checkedAt: timestamp('checked_at', { withTimezone: true }).notNull().defaultNow(),
    confirmedAt: timestamp('confirmed_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.providerId, t.subject] }),
    index('directory_identities_account').on(t.accountId),
  ],
);

/** Values that are accepted once: identifiers of logout tokens and one-time passwords, until they expire. */
export const usedOnce = pgTable(
  'used_once',
  { key: text().primaryKey(), expiresAt: timestamp('expires_at', { withTimezone: true }).notNull() },
  (t) => [index('used_once_expires').on(t.expiresAt)],
);

/** Who may read documents without an access list: one row, once an admin has decided (decision 0112). */
export const accessDefault = pgTable('access_default', { ...document<AccessDefault>() });

/**
 * The second factor of a local account, once it is in force or begun: one-time passwords (RFC 6238), security keys, or both, and
 * recovery codes for all of it.
 */
export const secondFactors = pgTable('second_factors', {
  accountId: text('account_id')
    .primaryKey()
    .references(() => accounts.id, { onDelete: 'cascade' }),
  /** The secret of one-time passwords, sealed; null: the account has none. */
  secret: text(),
  /** A secret whose first code has not been confirmed, sealed. */
  pending: text(),
  /** SHA-256 of each recovery code that was not used. */
  recoveryCodes: jsonb('recovery_codes').$type<string[]>().notNull(),
  /** False until the first code or the first key has been confirmed. */
  confirmed: boolean().notNull().default(false),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});

/** The security keys of a local account (WebAuthn): public keys, which are no secrets. */
export const securityKeys = pgTable(
  'security_keys',
  {
    id: text().primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    /** The host under which it was registered: a browser offers it under no other. */
    host: text().notNull(),
    /** Id of the credential, and its public key in COSE; both in base64url. */
    credentialId: text('credential_id').notNull(),
    publicKey: text('public_key').notNull(),
    /** How often the key says that it has signed; many always say 0. */
    counter: bigint({ mode: 'number' }).notNull(),
    transports: jsonb().$type<string[]>().notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    lastUsedAt: timestamp('last_used_at', { withTimezone: true }),
  },
  (t) => [uniqueIndex('security_keys_credential').on(t.accountId, t.credentialId)],
);
