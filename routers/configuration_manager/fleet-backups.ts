import { z } from 'zod';
import { entryPaging, pageOf } from '#db/schemas/fields.ts';
import {
  BackupPolicy,
  BackupRun,
  BackupRunRequest,
  BackupSchedule,
  NewBackupSchedule,
} from '#db/schemas/golden-config/fleet-backup.ts';
import { Done, ObjectId } from '#db/schemas/primitives.ts';
import {
  cancelBackupRun,
  createBackupSchedule,
  deleteBackupSchedule,
  getBackupPolicy,
  getBackupRun,
  getBackupSchedule,
  listBackupRuns,
  listBackupSchedules,
  previewBackupPolicy,
  replaceBackupPolicy,
  runBackupPolicy,
  startFleetBackup,
  updateBackupSchedule,
} from '#server/domains/golden-config/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { ADMIN, CONFIG_READ, CONFIG_WRITE } from '#server/kernel/roles.ts';
import { done } from './requests.ts';

const PATH = '/configuration_manager/backups';
const OneRun = z.strictObject({ runId: z.string().describe('Id of the run') });
const OneSchedule = z.strictObject({ id: z.string().describe('Id of the schedule') });

const Page = z.strictObject(entryPaging(25));

export const fleetBackups = {
  startFleetBackup: allow(...CONFIG_WRITE)
    .meta(
      rest('POST', `${PATH}/run`, 'Back up a selection of devices', {
        description:
          'Returns at once; `GET /configuration_manager/backups/runs/:runId` has the progress. The run continues after the loss of a process, with the rights that the caller has when each device is read.',
        errorResponses: { 409: 'Too many backup runs are running.' },
      }),
    )
    .input(BackupRunRequest)
    .output(answer(z.object({ runId: ObjectId.describe('Id of the run') })))
    .mutation(write(({ ctx, input }) => startFleetBackup(ctx, input))),

  listBackupRuns: allow(...CONFIG_READ)
    .meta(rest('GET', `${PATH}/runs`, 'List backup runs, newest first'))
    .input(Page)
    .output(answer(pageOf(BackupRun)))
    .query(({ ctx, input }) => listBackupRuns(ctx, input)),

  getBackupRun: allow(...CONFIG_READ)
    .meta(rest('GET', `${PATH}/runs/:runId`, 'Progress and result of a backup run'))
    .input(OneRun)
    .output(answer(BackupRun))
    .query(({ ctx, input }) => getBackupRun(ctx, input.runId)),

  cancelBackupRun: allow(...CONFIG_WRITE)
    .meta(
      rest('POST', `${PATH}/runs/:runId/cancel`, 'Cancel a backup run', {
        description: 'Backups that are stored stay; the waiting devices are not read.',
        errorResponses: { 409: 'The run has finished.' },
      }),
    )
    .input(OneRun)
    .output(answer(Done))
    .mutation(
      write(async ({ ctx, input }) => {
        await cancelBackupRun(ctx, input.runId);
        return done(`Canceled backup run ${input.runId}`);
      }),
    ),

  listBackupSchedules: allow(...CONFIG_READ)
    .meta(rest('GET', `${PATH}/schedules`, 'List backup schedules'))
    .input(Page)
    .output(answer(pageOf(BackupSchedule)))
    .query(({ ctx, input }) => listBackupSchedules(ctx, input)),

  getBackupSchedule: allow(...CONFIG_READ)
    .meta(rest('GET', `${PATH}/schedules/:id`, 'Read a backup schedule'))
    .input(OneSchedule)
    .output(answer(BackupSchedule))
    .query(({ ctx, input }) => getBackupSchedule(ctx, input.id)),

  createBackupSchedule: allow(...CONFIG_WRITE)
    .meta(
      rest('POST', `${PATH}/schedules`, 'Store a backup schedule', {
        description: 'The schedule runs for the caller, with the rights that the caller has at each start.',
        errorResponses: { 409: 'The name is taken, or there are too many schedules.' },
      }),
    )
    .input(NewBackupSchedule)
    .output(answer(BackupSchedule))
    .mutation(write(({ ctx, input }) => createBackupSchedule(ctx, input))),

  updateBackupSchedule: allow(...CONFIG_WRITE)
    .meta(
      rest('PATCH', `${PATH}/schedules/:id`, 'Change a backup schedule', {
        description: 'Absent fields stay. The schedule runs for the caller from then on.',
      }),
    )
    .input(NewBackupSchedule.partial().extend(OneSchedule.shape))
    .output(answer(BackupSchedule))
    .mutation(write(({ ctx, input: { id, ...change } }) => updateBackupSchedule(ctx, id, change))),

  deleteBackupSchedule: allow(...CONFIG_WRITE)
    .meta(rest('DELETE', `${PATH}/schedules/:id`, 'Delete a backup schedule'))
    .input(OneSchedule)
    .output(answer(Done))
    .mutation(
      write(async ({ ctx, input }) => {
        await deleteBackupSchedule(ctx, input.id);
        return done(`Deleted backup schedule ${input.id}`);
      }),
    ),

  getBackupPolicy: allow(...ADMIN)
    .meta(
      rest('GET', `${PATH}/policy`, 'Read which backups are kept', {
        description: 'The ETag of the response can be sent as `If-Match` of PUT.',
      }),
    )
    .input(z.strictObject({}))
    .output(answer(BackupPolicy))
    .query(({ ctx }) => getBackupPolicy(ctx)),

  replaceBackupPolicy: allow(...ADMIN)
    .meta(
      rest('PUT', `${PATH}/policy`, 'Set which backups are kept', {
        description:
          'Old backups are removed within the hour, for the caller, and again every hour. The newest backup of a device always stays.',
      }),
    )
    .input(BackupPolicy)
    .output(answer(BackupPolicy))
    .mutation(write(({ ctx, input }) => replaceBackupPolicy(ctx, input))),

  previewBackupPolicy: allow(...ADMIN)
    .meta(rest('POST', `${PATH}/policy/preview`, 'Count the backups that a policy would remove'))
    .input(BackupPolicy)
    .output(
      answer(
        z.object({
          total: z.int().min(0).describe('Number of backups'),
          expired: z.int().min(0).describe('Number of backups that would be removed'),
        }),
      ),
    )
    .query(({ ctx, input }) => previewBackupPolicy(ctx, input)),

  runBackupPolicy: allow(...ADMIN)
    .meta(rest('POST', `${PATH}/policy/run`, 'Remove old backups now'))
    .input(z.strictObject({}))
    .output(
      answer(
        z.object({
          removed: z.int().min(0).describe('Number of removed backups'),
          left: z.int().min(0).describe('Number of backups that are still to be removed'),
        }),
      ),
    )
    .mutation(write(({ ctx }) => runBackupPolicy(ctx))),
};
