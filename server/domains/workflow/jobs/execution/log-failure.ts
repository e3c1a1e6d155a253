import type { Logger } from 'pino';
import { actingAccountOf } from '../control/acting.ts';
import type { Head } from '../reducer/document.ts';

/** Logs the failure of a job that a trigger started by itself, since nobody waits for its result. */
export function logFailure(log: Pick<Logger, 'info'>, head: Head): void {
  if (head.created_by !== null) return;
  const { _id: job, initiator: trigger, error } = head;
  log.info(
    { job, task: error.at(-1)?.task, trigger, account: actingAccountOf(head) },
    'a job that a trigger started failed',
  );
}
