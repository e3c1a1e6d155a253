import { z } from 'zod';
import { BackupFind, BackupFindRequest } from '#db/schemas/golden-config/fleet-backup.ts';
import { ObjectId } from '#db/schemas/primitives.ts';
import { findInBackups, findInBackupsAsCsv } from '#server/domains/golden-config/index.ts';
import { answer, PlainText } from '#server/kernel/json-text.ts';
import { allow, rest } from '#server/kernel/procedures.ts';
import { CONFIG_READ } from '#server/kernel/roles.ts';

const PATH = '/configuration_manager/backups/find';

const Hits = z.object({
  total: z.int().min(0).describe('Number of matching lines, at most 50000'),
  hits: z
    .array(
      z.object({
        device: z.string().describe('Name of the device'),
        backupId: ObjectId.describe('Backup that has the line'),
        line: z.int().min(1).describe('Number of the line, from 1'),
        text: z.string().describe('The line, at most 1000 characters'),
      }),
    )
    .describe('Lines of this page, by device'),
});

const errorResponses = { 422: 'The search took longer than 30 s, or more than 50,000 lines match.' };

export const backupSearch = {
  findInBackups: allow(...CONFIG_READ)
    .meta(rest('POST', PATH, 'Find lines in the configurations of all devices', { errorResponses }))
    .input(BackupFindRequest)
    .output(answer(Hits))
    .query(({ ctx, input }) => findInBackups(ctx, input)),

  findInBackupsAsCsv: allow(...CONFIG_READ)
    .meta(
      rest('POST', `${PATH}/csv`, 'Find lines in the configurations of all devices, as CSV', {
        errorResponses,
        produces: 'text/csv',
      }),
    )
    .input(BackupFind)
    .output(
      answer(
        z.string().meta({
          description: 'A head and a line for each matching line',
          examples: ['device,backupId,line,text\r\n'],
        }),
      ),
    )
    .query(async ({ ctx, input }) => new PlainText(await findInBackupsAsCsv(ctx, input), 'text/csv')),
};
