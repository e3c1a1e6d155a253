import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { openJobs } from '../../../helpers/jobs/running-jobs.ts';
import { task, workflowOf } from '../../../helpers/workflows.ts';

const service = await openJobs();

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
