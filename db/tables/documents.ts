import { sql } from 'drizzle-orm';
import {
  boolean,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { access, document, flagOf, orderedText, requiredTextOf, textOf } from '../columns.ts';
import type { ListedBackup } from '../schemas/golden-config/backup.ts';
import type { ConfigParser } from '../schemas/golden-config/config-parser.ts';
import type { StoredSpec } from '../schemas/golden-config/config-spec.ts';
import type { GoldenTree, TreeVersion } from '../schemas/golden-config/golden-tree.ts';
import type { Account, Group, Role } from '../schemas/identity/account.ts';
import type { Application } from '../schemas/operations/application.ts';
import type { AuditEntry } from '../schemas/operations/audit.ts';

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

/** Values of this installation: sealed keys, and a check value that shows whether SECRET_KEY is unchanged. */
export const installation = pgTable('installation', { name: text().primaryKey(), value: text().notNull() });

export const profiles = pgTable(
  'profiles',
  { ...document<{ id: string; [section: string]: unknown }>(), active: boolean().notNull().default(false) },
  (t) => [uniqueIndex('profiles_active').on(t.active).where(sql`active`)],
);

export const applications = pgTable('applications', {
  ...document<Application>(),
  /** Whether the application should run; every process follows this. */
  active: boolean().notNull().default(true),
  startedAt: timestamp('started_at', { withTimezone: true }).notNull().defaultNow(),
  /** Duration of the previous run, in seconds. */
  ranFor: doublePrecision('ran_for').notNull().default(0),
});

export const parsers = pgTable(
  'parsers',
  { ...document<ConfigParser>(), ...access(), name: requiredTextOf('name') },
  (t) => [uniqueIndex('parsers_name').on(t.name)],
);

export const goldenTrees = pgTable(
  'golden_trees',
  {
    ...document<GoldenTree>(),
    ...access(),
    name: requiredTextOf('name'),
    deviceType: textOf('deviceType', 'device_type'),
  },
  (t) => [uniqueIndex('golden_trees_name').on(t.name), index('golden_trees_device_type').on(t.deviceType)],
);

export const treeVersions = pgTable(
  'tree_versions',
  {
    ...document<TreeVersion>(),
    treeId: text('tree_id')
      .notNull()
      .references(() => goldenTrees.id, { onDelete: 'cascade' }),
    version: requiredTextOf('version'),
  },
  (t) => [uniqueIndex('tree_versions_version').on(t.treeId, t.version)],
);

export const specs = pgTable(
  'config_specs',
  {
    ...document<StoredSpec>(),
    /** The version whose node owns this spec; null for one that no node owns yet. */
    versionId: text('version_id').references(() => treeVersions.id, { onDelete: 'cascade' }),
  },
  (t) => [
    index('config_specs_version').on(t.versionId),
    index('config_specs_sections').on(t.versionId).where(sql`jsonb_typeof(doc -> 'sections') = 'object'`),
  ],
);

/** The text of a configuration, stored once for all backups with the same text. */
export const rawConfigs = pgTable('raw_configs', {
  sha256: text().primaryKey(),
  content: text().notNull(),
});

/**
 * A time as text that sorts by bytes in order of time; otherwise `04:05:06Z`, `04:05:06.000Z` and `04:05:06.5Z` would sort
 * wrongly because their precision differs.
 */
const momentOf = (member: string, column = member) =>
  orderedText(column).generatedAlwaysAs(
    sql.raw(`rtrim(regexp_replace(rtrim(doc ->> '${member}', 'Z'), '(\\.[0-9]*?)0+$', '\\1'), '.')`),
  );

export const backups = pgTable(
  'backups',
  {
    ...document<ListedBackup>(),
    ...access(),
    name: requiredTextOf('name'),
    date: momentOf('date'),
    sha256: requiredTextOf('sha256'),
  },
  (t) => [
    // the newest backup of a device comes first here
    index('backups_newest').on(t.name, t.date.desc().nullsLast(), t.id.desc()),
    index('backups_date').on(t.date.desc().nullsLast(), t.id),
    index('backups_sha256').on(t.sha256),
  ],
);

/** The audit trail: who did what, when, from where, with which outcome (contract/decisions#audit); append-only. */
export const audit = pgTable(
  'audit',
  {
    ...document<AuditEntry>(),
    time: textOf('time'),
    account: textOf('account'),
    operation: textOf('operation'),
  },
  (t) => [
    index('audit_time').on(t.time.desc().nullsLast(), t.id),
    index('audit_account').on(t.account, t.time.desc().nullsLast(), t.id),
    index('audit_operation').on(t.operation, t.time.desc().nullsLast(), t.id),
  ],
);
