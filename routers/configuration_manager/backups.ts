import { z } from 'zod';
import { Backup, BackupItem, BackupUpdate, ListedBackup } from '#db/schemas/golden-config/backup.ts';
import { Done, ObjectId } from '#db/schemas/primitives.ts';
import { BackupSearch } from '#db/schemas/requests/configuration-search.ts';
import { imported } from '#db/schemas/requests/null-fields.ts';
import {
  deleteBackups,
  getBackup,
  getBackupWithSecrets,
  importBackups,
  searchBackups,
  updateBackup,
} from '#server/domains/golden-config/index.ts';
import { messageWithWarnings } from '#server/domains/identity/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { ADMIN, CONFIG_READ, CONFIG_WRITE } from '#server/kernel/roles.ts';
import { orInPieces } from '#server/kernel/validation/list-in-pieces.ts';
import { Deleted, optional } from './requests.ts';

const BackupRequest = z.strictObject({ id: z.string().describe('Id of the backup') });

const { description, notes, gbac } = BackupUpdate.shape;
const UpdateBackupRequest = BackupRequest.extend({
  description: optional(description),
  notes: optional(notes),
  gbac: optional(gbac),
  options: optional(BackupUpdate).describe('The same fields, as some clients wrap them'),
}).refine(
  ({ id: _, options, ...bare }) => !options || Object.values(bare).every((value) => value === undefined),
  { path: ['options'], error: 'cannot be combined with the fields that it may contain itself' },
);

export const backups = {
  importBackups: allow(...CONFIG_WRITE)
    .meta(
      rest('POST', '/configuration_manager/import/backups', 'Import device configurations, all or none', {
        bodyLimit: 'import',
        pieces: 'backups',
      }),
    )
    .input(
      z.strictObject({
        backups: orInPieces(z.array(imported(BackupItem)).describe('Configurations to store')),
      }),
    )
    .output(answer(Done))
    .mutation(
      write(async ({ ctx, input }) => {
        const { count, warnings } = await importBackups(ctx, input.backups);
        const message = `Imported ${count} ${count === 1 ? 'backup' : 'backups'}`;
        return { status: 'success' as const, message: messageWithWarnings(message, warnings) };
      }),
    ),

  searchBackups: allow(...CONFIG_READ)
    .meta(rest('POST', '/configuration_manager/backups', 'Search for backups, newest first'))
    .input(z.strictObject({ options: optional(BackupSearch).describe('Filter, page and order') }))
    .output(answer(z.object({ total: z.int(), list: z.array(ListedBackup) })))
    .query(({ ctx, input }) => searchBackups(ctx, input.options ?? {})),

  getBackup: allow(...CONFIG_READ)
    .meta(rest('GET', '/configuration_manager/backups/:id', 'One backup with its configuration text'))
    .input(BackupRequest)
    .output(answer(Backup))
    .query(({ ctx, input }) => getBackup(ctx, input.id)),

  getBackupWithSecrets: allow(...ADMIN)
    .meta(
      rest(
        'GET',
        '/configuration_manager/backups_with_secrets/:id',
        'One backup with the secrets in its text',
        {
          description:
            'Who has this permission also reads secrets in other configurations where they are masked (`PUT /authorization/access_default`).',
        },
      ),
    )
    .input(BackupRequest)
    .output(answer(Backup))
    .query(({ ctx, input }) => getBackupWithSecrets(ctx, input.id)),

  updateBackup: allow(...CONFIG_WRITE)
    .meta(
      rest(
        'PUT',
        '/configuration_manager/backups/:id',
        'Change the description, notes or access list of a backup',
      ),
    )
    .input(UpdateBackupRequest)
    .output(answer(Done))
    .mutation(
      write(async ({ ctx, input: { id, options, ...bare } }) => {
        await updateBackup(ctx, id, options ?? bare);
        return { status: 'success' as const, message: `Updated backup ${id}` };
      }),
    ),

  deleteBackups: allow(...CONFIG_WRITE)
    .meta(rest('DELETE', '/configuration_manager/backups', 'Delete backups'))
    .input(z.strictObject({ backupIds: z.array(ObjectId).describe('Ids of the backups') }))
    .output(answer(Deleted))
    .mutation(
      write(async ({ ctx, input }) => ({
        status: 'success' as const,
        deleted: await deleteBackups(ctx, input.backupIds),
      })),
    ),
};
