import type { WorkItem } from '#server/durable/port.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import { JOB_LISTS, JOBS, type JobWork, runsTasks } from '../reducer/job-events.ts';

/** Where work items are requested; `isOfList`: for a child job of a list, or a job below one. */
export type JobWorkRequests = SystemContext<'durable'> & { isOfList?: boolean };

/**
 * Requests work items of jobs, in the transaction that makes them necessary. Those that run the tasks of lists have a queue of
 * their own: the tasks of a long list may take all of its places, and jobs, commands and time limits still have theirs.
 */
export async function enqueueJobWork(
  { db, platform, isOfList = false }: JobWorkRequests,
  items: readonly WorkItem[],
): Promise<void> {
  // The inputs were made by job-events.ts.
  const isListed = ({ input }: WorkItem) => isOfList && runsTasks(input as JobWork);
  const rest = items.filter((item) => !isListed(item));
  await platform.durable.enqueue(db, JOBS, rest);
  await platform.durable.enqueue(db, JOB_LISTS, items.filter(isListed));
}
