import { sql } from 'drizzle-orm';
import { type Database, inTransaction, rows } from '#db/client.ts';
import { find, insert, noteChange, replace } from '#db/collection.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { BackupPolicy, StoredBackupPolicy } from '#db/schemas/golden-config/fleet-backup.ts';
import { backups } from '#db/tables/golden-config/configurations.ts';
import { backupPolicies } from '#db/tables/golden-config/fleet.ts';
import { activeCaller } from '#server/domains/identity/index.ts';
import type { ReadContext, SystemContext, WriteContext } from '#server/kernel/contexts.ts';
import { unlessTaken } from '#server/kernel/documents/documents.service.ts';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { assertWholeAccount } from '#server/kernel/principal.ts';
import { dropRawConfigs } from '../backups/raw-configs.service.ts';

const ID = 'policy';
/** The entity tag while no policy has been set. */
const NEVER = '0';
/** Backups that one transaction removes. */
const AT_ONCE = 500;
/** Backups that one request removes: the worker removes the rest. */
const MOST_PER_REQUEST = 10_000;

/** Returns which backups are kept: all, until an admin says otherwise; the ETag is in the headers. */
export async function getBackupPolicy({
  db,
  answer,
}: {
  db: Database;
  answer: { headers: Record<string, string> };
}): Promise<BackupPolicy> {
  const stored = await find(db, backupPolicies, ID);
  answer.headers.ETag = `"${stored?.rev ?? NEVER}"`;
  if (!stored) return { keep: {} };
  const { runAs: _, ...policy } = stored.doc;
  return policy;
}

/**
 * Sets which backups are kept; old ones are removed for the caller from then on.
 *
 * @throws ServiceError CONFLICT when the policy was changed in the meantime
 */
export async function replaceBackupPolicy(
  { db, principal, request }: Pick<WriteContext, 'db' | 'principal' | 'request'>,
  policy: BackupPolicy,
): Promise<BackupPolicy> {
  assertWholeAccount(principal, 'old backups are removed');
  const stored = await find(db, backupPolicies, ID, true);
  assertUnchanged(request.ifMatch, stored?.rev ?? NEVER, 'The backup policy');
  const doc: StoredBackupPolicy = { ...policy, runAs: principal.id };
  if (stored) await replace(db, backupPolicies, stored, doc);
  else {
    const message = 'The backup policy was changed by another request: read it again and retry';
    await unlessTaken('backup_policies_pkey', message, () => insert(db, backupPolicies, ID, doc));
  }
  return policy;
}

/** Returns the query of the backups that a policy does not keep, in order of their ids. */
function expired({ keep: { count, days }, keepTagged = true }: BackupPolicy, now: Date) {
  if (count === undefined && days === undefined) return undefined;
  const since = days === undefined ? null : new Date(now.getTime() - days * 86_400_000).toISOString();
  return sql`select id from (
      select id, doc, row_number() over (partition by name order by date desc nulls last, id desc) as place
      from ${backups}) as placed
    where place > ${Math.max(1, count ?? 1)}
      and ${since === null ? sql`true` : sql`greatest(doc ->> 'lastSeen', doc ->> 'date', '') < ${since}`}
      and ${keepTagged ? sql`not exists (select from tag_references where ref_id = placed.id)` : sql`true`}`;
}

/**
 * Returns how many backups the policy would remove now.
 *
 * @param policy one that need not be stored
 * @returns the number of all backups, and of those that it would remove
 */
export async function previewBackupPolicy(
  { db, platform }: SystemContext<'now'>,
  policy: BackupPolicy,
): Promise<{ total: number; expired: number }> {
  const total = await db.$count(backups);
  const query = expired(policy, platform.now());
  if (!query) return { total, expired: 0 };
  const [found] = await rows<{ count: number }>(
    db,
    sql`select count(*)::int as count from (${query}) as gone`,
  );
  return { total, expired: found?.count ?? 0 };
}

/** Removes some of the backups that the policy does not keep, in the caller's transaction. @returns how many */
async function removeSome(db: Database, policy: BackupPolicy, now: Date): Promise<number> {
  const query = expired(policy, now);
  if (!query) return 0;
  const gone = await rows<{ id: string; sha256: string }>(
    db,
    sql`delete from ${backups} where id in (select id from (${query}) as gone order by id limit ${AT_ONCE})
        returning id, sha256`,
  );
  if (gone.length === 0) return 0;
  await rows(db, sql`delete from tag_references where ref_id = any(${textArray(gone.map(({ id }) => id))})`);
  await dropRawConfigs(
    db,
    gone.map(({ sha256 }) => sha256),
  );
  return gone.length;
}

/**
 * Removes the backups that the stored policy does not keep: at most 10,000, the worker removes the rest.
 *
 * @returns how many were removed, and how many are left to remove
 */
export async function runBackupPolicy({
  db,
  platform,
}: ReadContext<'now'>): Promise<{ removed: number; left: number }> {
  const policy = (await find(db, backupPolicies, ID))?.doc;
  if (!policy) return { removed: 0, left: 0 };
  let removed = 0;
  for (let some = AT_ONCE; some === AT_ONCE && removed < MOST_PER_REQUEST; removed += some) {
    some = await removeSome(db, policy, platform.now());
  }
  noteChange(db, { kind: 'backups', id: ID, name: `removed ${removed} old backups` });
  return { removed, left: (await previewBackupPolicy({ db, platform }, policy)).expired };
}

/**
 * Removes old backups in the background, for the account that set the policy, as long as it is an admin.
 *
 * @param ending ends the removal between two transactions
 */
export async function removeOldBackups({ db, platform }: SystemContext, ending: AbortSignal): Promise<void> {
  const policy = (await find(db, backupPolicies, ID))?.doc;
  if (!policy) return;
  const caller = await activeCaller({ db, platform }, policy.runAs, 'that set the backup policy').catch(
    (error: unknown) => {
      if (error instanceof ServiceError) return undefined;
      throw error;
    },
  );
  if (!caller?.roles.includes('admin')) {
    platform.log.warn({ account: policy.runAs }, 'old backups stay: who set the policy is no admin any more');
    return;
  }
  for (let some = AT_ONCE; some === AT_ONCE && !ending.aborted; ) {
    some = await inTransaction(db, (tx) => removeSome(tx, policy, platform.now()));
  }
}
