import { sql } from 'drizzle-orm';
import { boolean, doublePrecision, index, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';
import { document, orderedText, textOf } from '../../columns.ts';
import type { Application } from '../../schemas/operations/application.ts';
import type { AuditEntry } from '../../schemas/operations/audit.ts';

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

/** The audit trail: who did what, when, from where, with which outcome (contract/decisions#audit); append-only. */
export const audit = pgTable(
  'audit',
  {
    ...document<AuditEntry>(),
    time: textOf('time'),
    account: textOf('account'),
    operation: textOf('operation'),
    /** Id of the credential, written beside the document: a generated column would rewrite the table of an existing trail. */
    credentialId: orderedText('credential_id'),
  },
  (t) => [
    index('audit_time').on(t.time.desc().nullsLast(), t.id),
    index('audit_account').on(t.account, t.time.desc().nullsLast(), t.id),
    index('audit_operation').on(t.operation, t.time.desc().nullsLast(), t.id),
    index('audit_credential')
      .on(t.credentialId, t.time.desc().nullsLast(), t.id)
      .where(sql`credential_id is not null`),
    // Hashes: a name may be longer than an entry of an ordered index.
    index('audit_document_id').using('hash', sql`(doc #>> '{document,id}')`),
    index('audit_document_name').using('hash', sql`(doc #>> '{document,name}')`),
    index('audit_documents')
      .using('gin', sql`(doc -> 'documents') jsonb_path_ops`)
      .where(sql`doc -> 'documents' is not null`),
  ],
);
