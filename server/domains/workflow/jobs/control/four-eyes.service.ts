import type { Database } from '#db/client.ts';
import { isSamePerson } from '#server/domains/identity/index.ts';
import { forbidden } from '#server/kernel/errors.ts';
import type { JobDocument } from '../reducer/document.ts';
import { before, type Plan } from '../reducer/plan.ts';
import { partiesOf } from './acting.ts';

type PlannedJob = { plan: Plan; document: JobDocument };

/** Returns whether a manual task must be finished by a user who has no other part in the job (docs/decisions/0056). */
const needsFourEyes = (plan: Plan, task: string): boolean => plan.tasks[task]?.fourEyes === true;

/**
 * Denies a task that needs four eyes to an account that started the job, or is or was its acting account, and to service
 * accounts of the same user; admins too.
 *
 * @param who starts the sentence: `You` or an account
 * @throws ServiceError FORBIDDEN with the reason
 */
export async function assertSecondPerson(
  db: Database,
  { plan, document }: PlannedJob,
  task: string,
  account: string,
  who = 'You',
): Promise<void> {
  if (!needsFourEyes(plan, task)) return;
  if (!(await isSamePerson(db, account, partiesOf(document.head)))) return;
  const be = who === 'You' ? 'are or were' : 'is or was';
  throw forbidden(
    `Task ${task} needs four eyes: ${who} started the job, or ${be} its acting account, or a service account of the same user. Another user must finish it`,
  );
}

/**
 * Rejects the account as second person for each task that would be skipped if the job continued at a later one.
 *
 * @throws ServiceError FORBIDDEN with the reason
 */
export async function assertNoneSkipped(
  db: Database,
  job: PlannedJob,
  fromTask: string,
  account: string,
): Promise<void> {
  for (const earlier of before(job.plan, fromTask)) {
    const { status } = job.document.state.tasks[earlier] ?? {};
    if (status !== 'complete' && status !== 'skipped') await assertSecondPerson(db, job, earlier, account);
  }
}
