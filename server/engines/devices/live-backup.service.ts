import { sql } from 'drizzle-orm';
import { type Database, inTransaction, rows } from '#db/client.ts';
import { noteChange } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import { backups } from '#db/tables.ts';
import { importBackups } from '#server/engines/configuration/backup-import.service.ts';
import { configurationOf } from './live-configuration.service.ts';
import { type LiveCall, originOf } from './origin.service.ts';

/** What people write on a backup. */
export type Remarks = { description?: string | undefined; notes?: string | undefined };

/** A backup that was taken, with its text. */
export type Taken = { id: string; config: string };

/**
 * Read the configuration of a device and store it as a backup (lifecycle §4.3). Nothing is stored of a device that cannot
 * be read.
 *
 * @param id to store it under
 * @throws ServiceError as readConfiguration
 */
export async function backUpDevice(
  call: LiveCall,
  name: string,
  { description, notes }: Remarks = {},
  id = newId(),
): Promise<Taken> {
  const origin = await originOf(call, name);
  const config = await configurationOf(call, origin);
  const item = {
    id,
    name,
    provider: origin.adapter,
    type: origin.via === 'orchestrator' ? 'json' : 'native',
    date: call.platform.now().toISOString(),
    rawConfig: config,
    ...(description !== undefined && { description }),
    ...(notes !== undefined && { notes }),
  };
  await inTransaction(call.db, (db) =>
    importBackups({ ...call, db, request: { ...call.request, ifMatch: null } }, [item]),
  );
  return { id, config };
}

/** Whether a backup is stored under an id: one that a repetition of its task had taken. */
export async function isTaken({ db }: Pick<LiveCall, 'db'>, id: string): Promise<boolean> {
  return (await rows(db, sql`select from ${backups} where id = ${id}`)).length > 0;
}

/** Tell the audit row of a backup that was taken. */
export const noteTaken = (tx: Database, id: string, name: string): void =>
  noteChange(tx, { kind: 'backups', id, name });
