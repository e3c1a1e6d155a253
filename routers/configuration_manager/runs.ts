import { z } from 'zod';
import { Report } from '#db/schemas/golden-config/compliance-report.ts';
import { Done } from '#db/schemas/primitives.ts';
import {
  cancelBatch,
  checkConfiguration,
  startBackupRun,
  startRun,
} from '#server/domains/golden-config/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { CONFIG_READ, CONFIG_WRITE } from '#server/kernel/roles.ts';
import { BackupRunRequest, ConfigurationRequest, RunRequest, Started } from './run-requests.ts';

const PATH = '/configuration_manager/compliance_reports';
const refusals = { 422: 'No parser reads the device type of the tree.' };

export const runs = {
  runCompliance: allow(...CONFIG_WRITE)
    .meta(rest('POST', PATH, 'Start a compliance run over devices', { refusals }))
    .input(RunRequest)
    .output(answer(Started))
    .mutation(write(({ ctx, input }) => startRun(ctx, input.options))),

  runComplianceOnBackups: allow(...CONFIG_WRITE)
    .meta(rest('POST', `${PATH}/backups`, 'Start a compliance run over backups', { refusals }))
    .input(BackupRunRequest)
    .output(answer(Started))
    .mutation(write(({ ctx, input }) => startBackupRun(ctx, input.treeInfo, input.backupIds))),

  checkConfiguration: allow(...CONFIG_READ)
    .meta(rest('POST', `${PATH}/config`, 'Check a configuration text at once, storing nothing', { refusals }))
    .input(ConfigurationRequest)
    .output(answer(Report))
    .query(({ ctx, input }) => checkConfiguration(ctx, input.options)),

  cancelBatch: allow(...CONFIG_WRITE)
    .meta(rest('POST', `${PATH}/batch/:batchId/cancel`, 'Stop a compliance batch; its reports so far stay'))
    .input(z.strictObject({ batchId: z.string().describe('Id of the batch') }))
    .output(answer(Done))
    .mutation(
      write(async ({ ctx, input }) => {
        await cancelBatch(ctx, input.batchId);
        return { status: 'success' as const, message: `compliance batch ${input.batchId} canceled` };
      }),
    ),
};
