import { sql } from 'drizzle-orm';
import { bigint, boolean, index, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { document, moment, orderedText, requiredTextOf } from '../../columns.ts';
import type { GitRemote } from '../../schemas/git/remote.ts';
import type { GitResult } from '../../schemas/git/run.ts';

/** Git repositories (docs/git.md); the document holds masks in place of secrets. */
export const gitRemotes = pgTable(
  'git_remotes',
  {
    ...document<GitRemote>(),
    name: requiredTextOf('name'),
    /** Secrets by field, sealed. */
    secrets: jsonb().$type<Record<string, string>>().notNull().default(sql`'{}'::jsonb`),
    failingSince: moment('failing_since'),
    lastError: text('last_error'),
    nextRunAt: bigint('next_run_at', { mode: 'number' }).generatedAlwaysAs(
      sql`(doc ->> 'nextRunAt')::double precision::bigint`,
    ),
  },
  (t) => [uniqueIndex('git_remotes_name').on(t.name), index('git_remotes_due').on(t.nextRunAt)],
);

const ownRemote = () =>
  orderedText('remote_id')
    .notNull()
    .references(() => gitRemotes.id, { onDelete: 'cascade' });

/** Hashes of documents from the time when both sides last agreed: a side whose hash differs now has changed the document. */
export const gitDocuments = pgTable(
  'git_documents',
  {
    remoteId: ownRemote(),
    path: orderedText().notNull(),
    /** Hash of the files here, and of those in the repository; they differ where an import normalized a document. */
    local: text().notNull(),
    remote: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.remoteId, t.path] })],
);

/** Pushes and pulls. */
export const gitRuns = pgTable(
  'git_runs',
  {
    id: orderedText().primaryKey(),
    remoteId: ownRemote(),
    action: text().$type<'push' | 'pull'>().notNull(),
    branch: text().notNull(),
    dryRun: boolean('dry_run').notNull(),
    /** Files whose conflicts the caller settled: they are written whatever the other side has. */
    overwrite: jsonb().$type<string[]>().notNull(),
    status: text().$type<'running' | 'complete' | 'error'>().notNull().default('running'),
    error: text(),
    result: jsonb().$type<GitResult>(),
    startedBy: text('started_by').notNull(),
    startedAt: moment('started_at').notNull().defaultNow(),
    endedAt: moment('ended_at'),
  },
  (t) => [
    index('git_runs_remote').on(t.remoteId, t.id),
    uniqueIndex('git_runs_running').on(t.remoteId).where(sql`status = 'running'`),
  ],
);
