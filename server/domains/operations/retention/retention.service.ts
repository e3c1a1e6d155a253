import { desc, eq } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { insert } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import {
  RETENTION_KINDS,
  type RetentionKind,
  type RetentionPreview,
  type RetentionRun,
  type RetentionSettings,
} from '#db/schemas/operations/retention.ts';
import { retentionRuns, retentionSettings } from '#db/tables/operations/retention.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import {
  answerSettings,
  readSettings,
  replaceSettings,
  type SettingsRow,
} from '#server/kernel/documents/settings-row.service.ts';
import { conflict, notFound } from '#server/kernel/errors.ts';
import { limitsOf, sourceOf } from './sources.service.ts';

const SETTINGS: SettingsRow<{ settings: RetentionSettings; account: string; accountId: string }> = {
  table: retentionSettings,
  id: 'settings',
  key: 'retention_settings_pkey',
  name: ['The retention settings', 'them'],
};
/** Most runs that are listed. */
const LISTED = 50;

/** Returns how long documents are kept; empty until an admin sets it: then everything is kept. */
export const getRetention = async (ctx: Pick<WriteContext, 'db' | 'answer'>) =>
  (await answerSettings(ctx, SETTINGS))?.settings ?? {};

/** Replaces the settings. Scheduled runs then work for this account. @throws ServiceError CONFLICT */
export async function replaceRetention(ctx: WriteContext, settings: RetentionSettings) {
  const { principal } = ctx;
  await replaceSettings(ctx, SETTINGS, { settings, account: principal.username, accountId: principal.id });
  const kept = RETENTION_KINDS.filter((kind) => !settings[kind]);
  const message = kept.length === 0 ? 'Every kind has a limit.' : `Kept for ever: ${kept.join(', ')}.`;
  return { status: 'OK' as const, message, data: settings };
}

/** Counts what a run would delete now. @param given settings to try; absent: those that are stored */
export async function previewRetention(
  { db, platform }: Pick<WriteContext, 'db' | 'platform'>,
  given: RetentionSettings | undefined,
): Promise<RetentionPreview> {
  const settings = given ?? (await readSettings(db, SETTINGS))?.doc.settings ?? {};
  const counts: Partial<Record<RetentionKind, number>> = {};
  const limits = await limitsOf(db, settings, platform.now());
  for (const kind of RETENTION_KINDS) {
    const before = limits[kind];
    if (before === undefined) continue;
    const [counted] = await rows<{ n: number }>(db, sourceOf(kind, settings, before).count);
    counts[kind] = counted?.n ?? 0;
  }
  return { counts };
}

/**
 * Starts a run, which works in the background.
 *
 * @returns the id of the run
 * @throws ServiceError CONFLICT while another one works
 */
export async function runRetention({ db, principal, platform }: WriteContext) {
  const settings = (await readSettings(db, SETTINGS, true))?.doc.settings ?? {};
  const runId = await startRun(db, {
    settings,
    account: principal.username,
    trigger: 'manual',
    now: platform.now(),
  });
  if (runId === null) throw conflict('A retention run is under way: wait until it has ended');
  return { runId };
}

/** Stores a new run. @returns its id; null while another one works */
export async function startRun(
  db: Database,
  {
    settings,
    account,
    trigger,
    now,
  }: { settings: RetentionSettings; account: string; trigger: RetentionRun['trigger']; now: Date },
): Promise<string | null> {
  const [working] = await db
    .select({ id: retentionRuns.id })
    .from(retentionRuns)
    .where(eq(retentionRuns.status, 'running'))
    .limit(1);
  if (working) return null;
  const id = newId(now.getTime());
  await insert(db, retentionRuns, id, {
    _id: id,
    status: 'running',
    account,
    trigger,
    started: now.toISOString(),
    finished: null,
    settings,
    limits: await limitsOf(db, settings, now),
    position: null,
    deleted: {},
    steps: 0,
    failures: 0,
    error: null,
  });
  return id;
}

/** Returns the newest runs, at most 50. */
export async function listRetentionRuns({ db }: Pick<ReadContext, 'db'>) {
  const found = await db
    .select({ doc: retentionRuns.doc })
    .from(retentionRuns)
    .orderBy(desc(retentionRuns.started), desc(retentionRuns.id))
    .limit(LISTED);
  return { results: found.map(({ doc }) => doc), total: found.length };
}

/** Returns one run. @throws ServiceError NOT_FOUND */
export async function getRetentionRun({ db }: Pick<ReadContext, 'db'>, id: string): Promise<RetentionRun> {
  const [found] = await db
    .select({ doc: retentionRuns.doc })
    .from(retentionRuns)
    .where(eq(retentionRuns.id, id));
  if (!found) throw notFound('Retention run', id);
  return found.doc;
}
