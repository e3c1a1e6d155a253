import type { Logger } from 'pino';
import { actingAccountOf } from '../control/acting.ts';
import type { Head } from '../reducer/document.ts';

/** Logs the failure of a job in one line: which job and task, what started it, and the account that it works for. */
export function logFailure(log: Pick<Logger, 'info'>, head: Head): void {
  const { _id: job, initiator, error } = head;
  const trigger = initiator ?? 'manual';
  log.info({ job, task: error.at(-1)?.task, trigger, account: actingAccountOf(head) }, 'a job failed');
}
