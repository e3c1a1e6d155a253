import { once } from 'node:events';
import { expect, test } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { openEmbedded } from '#db/embedded.ts';
import type { Job } from '#db/schemas/workflow/job.ts';
import { sql } from '#db/statement.ts';
import { asAdminOf, openLaunching } from '../helpers/processes/launched-service.ts';
import { until } from '../helpers/processes/processes.ts';
import { task, workflowOf } from '../helpers/workflows.ts';

const { launch, addSilentDevice } = openLaunching();

function signal() {
  let give: () => void = () => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { give, given };
}

/** Seconds within which the process must have ended: it promises 10. */
const MOST = 15;

test('SIGTERM ends the service in time beside sessions that never answer and a statement that waits for a lock, and loses no job', async () => {
  const { child, url, folder } = await launch();
  const done = await asAdminOf(url);
  const ofJob = await addSilentDevice(done, 'of-job');
  const ofRequest = await addSilentDevice(done, 'of-request');
  const asks = task(
    'sendCommand',
    { host: 'of-job', commands: ['show version'], connection_options: {} },
    {},
    { app: 'AutomationGateway', type: 'automatic' },
  );
  await done('POST', '/automation-studio/automations', { automation: workflowOf('Asks', { a: asks }) });
  const { data: job } = await done<{ data: Job }>('POST', '/operations-manager/jobs/start', {
    workflow: 'Asks',
  });
  await until('the command of the job', () => ofJob.isStuck() || undefined);
  const command = {
    cliSendCommandParameters: {
      ...{ host: 'of-request', commands: ['show clock'], connection_options: { device_type: 'cisco_xe' } },
    },
  };
  const byRequest = done('POST', '/automationgateway/cli/send_command', command).catch(String);
  await until('the command of the request', () => ofRequest.isStuck() || undefined);

  const embedded = await openEmbedded({ dataDir: folder, log: () => undefined });
  const { db, close } = openDatabase({ connection: embedded.connection, max: 2 });
  const [locked, released] = [signal(), signal()];
  const holding = db
    .transaction(async (tx) => {
      await tx.execute(sql`select from workflows where name = 'Asks' for update`);
      locked.give();
      await released.given;
    })
    .catch(String);
  await locked.given;
  const waiting = done('DELETE', '/workflow_builder/workflows/delete/Asks').catch(String);
  await until('the statement waits', async () => {
    const found = await db.execute(sql`select 1 from pg_stat_activity where wait_event_type = 'Lock'`);
    return found.length > 0 || undefined;
  });

  const exited = once(child, 'exit');
  const started = performance.now();
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  const seconds = (performance.now() - started) / 1000;
  console.log(`stopped after ${seconds.toFixed(1)} s`);
  expect(seconds).toBeLessThan(MOST);
  released.give();
  await Promise.all([byRequest, waiting, holding]);
  await close();
  await embedded.close();

  const again = await launch({ folder });
  const ask = await asAdminOf(again.url);
  const jobNow = () => ask<{ data: Job }>('GET', `/operations-manager/jobs/${job._id}`);
  expect((await jobNow()).data.name).toBe('Asks');
  // Nobody knows whether the command ran: the next process reports that, or sends it again.
  await until(
    'the job continues',
    async () => (await jobNow()).data.status !== 'running' || ofJob.device.sessions > 1 || undefined,
    60,
  );
  again.child.kill('SIGTERM');
  await once(again.child, 'exit');
});
