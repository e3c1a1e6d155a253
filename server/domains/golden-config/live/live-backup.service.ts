import { eq } from 'drizzle-orm';
import { type Database, inTransaction } from '#db/client.ts';
import { noteChange } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import { backups } from '#db/tables/golden-config/configurations.ts';
import type { DeviceContext } from '#server/kernel/contexts.ts';
import { seenAgain } from '../backups/backup-again.service.ts';
import { storeBackups } from '../backups/backup-import.service.ts';
import { configurationOf } from './live-configuration.service.ts';
import { originOf, readersOf } from './origin.service.ts';

/** A user's notes on a backup. */
export type Remarks = { description?: string | undefined; notes?: string | undefined };

/** @property always whether a configuration that is already stored is stored again */
type BackupOptions = { id?: string; always?: boolean };

/** A backup with its text; `unchanged`: it was stored before, and the device still has that text. */
export type TakenBackup = { id: string; config: string; unchanged: boolean };

/**
 * Reads the configuration of a device and stores it as a backup (contract/lifecycle#4.3). If the newest backup is the same,
 * only its `lastSeen` is updated. Nothing is stored when the device cannot be read. The groups that may read the device are
 * those of the backup: its text is what the device would answer (decision 0158).
 *
 * @param options the id of a new backup, and whether to store an unchanged configuration again
 * @throws ServiceError as readConfiguration
 */
export async function backUpDevice(
  call: DeviceContext,
  name: string,
  { description, notes }: Remarks = {},
  { id = newId(), always = false }: BackupOptions = {},
): Promise<TakenBackup> {
  const origin = await originOf(call, name);
  const config = await configurationOf(call, origin);
  const item = {
    name,
    provider: origin.adapter,
    type: origin.via === 'orchestrator' ? 'json' : 'native',
    ...(description !== undefined && { description }),
    ...(notes !== undefined && { notes }),
  };
  const date = call.platform.now().toISOString();
  return inTransaction(call.db, async (db) => {
    const ctx = { ...call, db, request: { ifMatch: null }, answer: { headers: {} } };
    const readers = await readersOf(ctx, origin);
    const read = {
      ...item,
      rawConfig: config,
      ...(readers.length > 0 && { gbac: { read: readers, write: readers } }),
    };
    const known = always ? null : await seenAgain(ctx, read, date);
    if (known !== null) return { id: known, config, unchanged: true };
    await storeBackups(ctx, [{ ...read, id, date, lastSeen: date }]);
    return { id, config, unchanged: false };
  });
}

/** Returns whether a backup with this id exists, which an earlier attempt of the same task has stored. */
export async function isTaken({ db }: Pick<DeviceContext, 'db'>, id: string): Promise<boolean> {
  return (await db.$count(backups, eq(backups.id, id))) > 0;
}

/** Adds a new backup to the audit row. */
export const publishTaken = (tx: Database, id: string, name: string): void =>
  noteChange(tx, { kind: 'backups', id, name });
