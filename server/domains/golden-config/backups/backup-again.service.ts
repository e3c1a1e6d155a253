import { createHash } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { rows } from '#db/client.ts';
import { find } from '#db/collection.ts';
import type { BackupItem } from '#db/schemas/golden-config/backup.ts';
import { backups } from '#db/tables/golden-config/configurations.ts';
import { mayWrite } from '#server/domains/identity/index.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { allOf } from '#server/kernel/documents/documents.service.ts';

/**
 * Sets `lastSeen` of the newest backup of a device to the time at which the device still had the same configuration. Locks
 * the device's backups until the transaction ends: of two concurrent callers, the second finds what the first has stored.
 *
 * @param item what was read from the device; its notes must be on the backup already, so that none is lost
 * @param at ISO 8601
 * @returns the id of that backup; null when the newest one differs, is missing or is not writable for the caller
 */
export async function seenAgain(
  { db, principal }: WriteContext,
  { rawConfig, ...item }: BackupItem,
  at: string,
): Promise<string | null> {
  const { name } = item;
  await rows(db, sql`select pg_advisory_xact_lock(hashtextextended(${`switchyard backups of ${name}`}, 0))`);
  const sha256 = createHash('sha256').update(rawConfig).digest('hex');
  const newest = sql`(select newest.id from ${backups} newest where newest.name = ${name}
    order by newest.date desc nulls last, newest.id desc limit 1)`;
  const hasItem = sql`${backups.doc} @> ${JSON.stringify(item)}::text::jsonb`;
  const isSame = allOf(
    eq(backups.id, newest),
    eq(backups.sha256, sha256),
    hasItem,
    mayRead(backups, principal),
  );
  const same = await find(db, backups, isSame, true);
  if (!same || !mayWrite(same.doc.gbac, principal)) return null;
  await rows(
    db,
    sql`update ${backups} set rev = rev + 1, updated_at = now(), doc = jsonb_set(doc, '{lastSeen}',
          to_jsonb(greatest(${at}::text collate "C", doc ->> 'lastSeen')))
        where id = ${same.id}`,
  );
  return same.id;
}
