import { expect } from 'vitest';
import type { Job } from '#db/schemas/workflow/job.ts';
import { runs, workflowOf } from '../workflows.ts';
import { type Actor, openActing } from './acting.ts';

/** A service with a document that `member` may read and `outsider` may not, and workflows that read it, on their own and in child jobs. */
export async function openSecretReaders() {
  const service = await openActing();
  const { store, automationOf, over, probe } = service;

  const reads = await store(workflowOf('Reads the secret', { a: probe() }));
  const readsIt = await automationOf(reads);
  await store(workflowOf('Reads it below', { a: runs('Reads the secret') }));
  const below = await store(workflowOf('Asks below', { a: runs('Reads the secret') }));

  const start = (by: Actor, workflow: string) =>
    by.done<Job>('POST', '/operations-manager/jobs/start', { workflow });
  const finish = (by: Actor, jobId: string, taskId: string) =>
    by.send('POST', `/operations-manager/jobs/${jobId}/tasks/${taskId}/finish`, {
      taskData: { finish_state: 'success' },
    });
  const messagesOf = ({ error }: Job) => (error ?? []).map(({ message }) => String(message)).join('\n');

  /** That a job ended as one of an account that may not read the secret. */
  const expectDenied = async (job: Job, by: Actor) => {
    const ended = await over(job._id);
    expect(ended).toMatchObject({ status: 'error', actingAccount: by.id });
    expect(messagesOf(ended)).toContain('does not exist');
    expect(ended.variables?.revealed ?? null).toBeNull();
  };
  const expectAllowed = async (job: Job, by: Actor) => {
    const ended = await over(job._id);
    expect(ended, messagesOf(ended)).toMatchObject({
      status: 'complete',
      actingAccount: by.id,
      variables: { revealed: 'top secret' },
    });
  };
  return { ...service, reads, readsIt, below, start, finish, messagesOf, expectDenied, expectAllowed };
}
