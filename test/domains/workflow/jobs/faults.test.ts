import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { withCutOn } from '../../../helpers/cut-statement.ts';
import { addEdge } from '../../../helpers/devices/job-device.ts';
import { openJobs } from '../../../helpers/jobs/running-jobs.ts';
import { task, workflowOf } from '../../../helpers/workflows.ts';

const service = await openJobs({ environment: { ALLOW_PRIVATE_TARGETS: '1' } });
await addEdge(service);

/** Starts a job, and cuts the connection of its first statement on a table. @returns the id of the job */
const startedWithCut = async (workflow: string, table: string): Promise<string> =>
  (await withCutOn(service.db, table, () => service.start(workflow)))._id;

test('a statement that the database rejects is an error of the task, which quotes no statement and no value', async () => {
  await service.db.execute(sql`alter table deeds add constraint none check (key = 'never')`);
  await service.store(workflowOf('Refused', { a: task('stringLength', { str: 'edge' }, { length: null }) }));
  const { _id } = await service.start('Refused');
  const job = await service.comes(_id, 'error');
  expect(job.error?.[0]).toMatchObject({
    task: 'a',
    message: 'the database rejected a query of the task; the log of the process has the reason',
  });
  const reported = await service.call('GET', `/jobs/${_id}`);
  expect(reported.text).not.toContain('insert into');
});

test.each(['gateway_hosts', 'command_policies'])(
  'a task that reads runs again when a statement on %s loses its connection',
  async (table) => {
    const incoming = { command: 'show version', device: 'edge-1', variables: {} };
    const answered = { result: '$var.job.answered' };
    await service.store(
      workflowOf(`Read ${table}`, {
        a: task('RunCommand', incoming, answered, { app: 'MOP', type: 'automatic' }),
      }),
    );
    const { variables } = await service.comes(await startedWithCut(`Read ${table}`, table), 'complete');
    expect(variables?.answered).toMatchObject({
      device: 'edge-1',
      result: true,
      response: expect.stringContaining('Version'),
    });
  },
);

test('a task that may not be repeated ends in error when its connection is cut, and says that its outcome is unknown', async () => {
  const incoming = { host: 'edge-1', commands: ['show version'], connection_options: {} };
  await service.store(
    workflowOf('Send', {
      a: task('sendCommand', incoming, { result: null }, { app: 'AutomationGateway', type: 'automatic' }),
    }),
  );
  const { error } = await service.comes(await startedWithCut('Send', 'gateway_hosts'), 'error');
  expect(error?.[0]).toMatchObject({
    task: 'a',
    message: 'interrupted, outcome unknown: the database was not available',
  });
});
