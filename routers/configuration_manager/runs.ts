import { z } from 'zod';
import { CheckedConfiguration } from '#db/schemas/golden-config/compliance-report.ts';
import { Done } from '#db/schemas/primitives.ts';
import {
  BackupRunRequest,
  ConfigurationRequest,
  RunRequest,
  Started,
} from '#db/schemas/requests/compliance-run.ts';
import {
  cancelBatch,
  checkConfiguration,
  startBackupRun,
  startRun,
} from '#server/domains/golden-config/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { CONFIG_READ, CONFIG_WRITE } from '#server/kernel/roles.ts';

const PATH = '/configuration_manager/compliance_reports';
const errorResponses = { 422: 'The device type of the tree has no parser.' };

export const runs = {
  runCompliance: allow(...CONFIG_WRITE)
    .meta(rest('POST', PATH, 'Start a compliance run over devices', { errorResponses }))
    .input(RunRequest)
    .output(answer(Started))
    .mutation(write(({ ctx, input }) => startRun(ctx, input.options))),

  runComplianceOnBackups: allow(...CONFIG_WRITE)
    .meta(rest('POST', `${PATH}/backups`, 'Start a compliance run over backups', { errorResponses }))
    .input(BackupRunRequest)
    .output(answer(Started))
    .mutation(write(({ ctx, input }) => startBackupRun(ctx, input.treeInfo, input.backupIds))),

  checkConfiguration: allow(...CONFIG_READ)
    .meta(
      rest('POST', `${PATH}/config`, 'Check a configuration text without storing anything', {
        errorResponses: { ...errorResponses, 429: 'Too many checks are waiting.' },
      }),
    )
    .input(ConfigurationRequest)
    .output(answer(CheckedConfiguration))
    .query(({ ctx, input }) => checkConfiguration(ctx, input.options)),

  cancelBatch: allow(...CONFIG_WRITE)
    .meta(
      rest('POST', `${PATH}/batch/:batchId/cancel`, 'Cancel a compliance batch; its reports so far are kept'),
    )
    .input(z.strictObject({ batchId: z.string().describe('Id of the batch') }))
    .output(answer(Done))
    .mutation(
      write(async ({ ctx, input }) => {
        await cancelBatch(ctx, input.batchId);
        return { status: 'success' as const, message: `compliance batch ${input.batchId} canceled` };
      }),
    ),
};
