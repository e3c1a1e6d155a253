import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { inTransaction, openDatabase } from '#db/client.ts';
import { openEmbedded } from '#db/embedded.ts';
import { migrate } from '#db/migrate.ts';
import { composeService } from '#server/app/open-service.ts';
import { workersOf } from '#server/app/work/worker-registry.ts';
import type { RunOf } from '#server/domains/workflow/jobs/execution/task-executor.ts';
import { insertJobs } from '#server/domains/workflow/jobs/store/new-job.service.ts';
import { keepPlan } from '#server/domains/workflow/jobs/store/plans.service.ts';
import { startEngine } from '#server/durable/engine.ts';
import { readConfig } from '#server/kernel/config.ts';
import { openVault } from '#server/kernel/secrets/vault.ts';
import type { workflowOf } from '../test/helpers/workflows.ts';
import { storeAdmin } from './account.ts';

/**
 * Opens an embedded database in a temporary folder and runs jobs on it in this process.
 *
 * @param workers number of work items at the same time
 * @param runs how tasks run
 * @returns the database, a function that starts jobs, and one that ends everything and deletes the folder
 */
export async function openJobEngine({ workers, runs }: { workers: number; runs: RunOf }) {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-bench-'));
  const log = pino({ level: 'fatal' });
  const { connection, close: closeServer } = await openEmbedded({ dataDir: folder, log: () => {} });
  await migrate(connection);
  const { db, close: closeDatabase } = openDatabase({ connection });
  const account = await storeAdmin(db);
  const config = readConfig({ WORKERS: String(workers) });
  const { platform } = composeService({ config, db, vault: openVault(randomBytes(32)), log });
  const engine = await startEngine({
    connection,
    log,
    workers: workersOf(config, { db, now: platform.now, log, platform, runs }),
  });

  return {
    db,
    connection,
    /** Starts jobs of a workflow in one transaction. */
    start: (
      workflow: ReturnType<typeof workflowOf>,
      count: number,
      variables: Record<string, unknown> = {},
    ): Promise<void> =>
      inTransaction(db, async (tx) => {
        const planId = await keepPlan(tx, workflow);
        const by = { account, actingAccount: account, initiator: 'bench' };
        const one = { workflow, planId, projectId: null, variables, groups: [], ...by };
        await insertJobs(
          { db: tx, platform },
          Array.from({ length: count }, () => one),
        );
      }),
    close: async () => {
      await engine.stop();
      await closeDatabase();
      await closeServer();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
