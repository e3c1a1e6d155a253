import type { SystemContext } from '#server/kernel/contexts.ts';
import { type CallerOf, reasonAgainst } from '../control/account-rights.service.ts';
import { NOBODY, startedBy } from '../control/acting.ts';
import type { Head } from '../reducer/document.ts';
import { findDefinition } from '../store/definitions.service.ts';
import { insertJobs } from '../store/new-job.service.ts';
import type { Loaded } from '../store/store.service.ts';
import { draftMessage } from './children.service.ts';
import { reasonAgainstBelow } from './job-trees.service.ts';

/** An error entry of a job. */
type JobError = Head['error'][number];

/**
 * Starts the workflow that handles the errors of a job; the job does not wait for it.
 *
 * @returns an error entry with the reason when it cannot start
 */
export async function startErrorHandler(
  parts: SystemContext<'now' | 'durable' | 'vault'> & { callerOf: CallerOf },
  job: Loaded,
  name: string,
): Promise<JobError | undefined> {
  const { head } = job.document;
  const fault = (message: string) => ({
    task: 'error_handler',
    message,
    timestamp: parts.platform.now().getTime(),
  });
  const found = await findDefinition(parts.db, { name });
  const starter = startedBy(head);
  if (!starter) return fault(NOBODY);
  if (!found) return fault(`Workflow ${name}, which handles errors, does not exist`);
  const reason =
    (await reasonAgainst(parts, job, [{ kind: 'workflow', by: 'name', value: name }])) ??
    (await reasonAgainstBelow(parts.db, head, 1));
  if (reason !== null) return fault(reason);
  if (found.errors.length > 0) return fault(draftMessage(name, found.errors));
  await insertJobs(parts, [
    {
      workflow: found.workflow,
      planId: found.planId,
      projectId: found.projectId,
      variables: { job_id: job.id, error: head.error },
      groups: head.groups ?? [],
      ...starter,
      ancestors: head.ancestors ?? [],
      parent: { job: job.id, task: 'error_handler', iteration: 0, element: null },
      sealed: job.sealed,
    },
  ]);
  return undefined;
}
