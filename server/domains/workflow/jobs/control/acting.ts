import type { ActingChange } from '#db/schemas/workflow/job.ts';
import { type Caller, type TokenRoles, tokenRolesOf } from '#server/kernel/principal.ts';
import type { Head, TaskState } from '../reducer/document.ts';
import type { Event } from '../reducer/job-events.ts';
import type { Plan } from '../reducer/plan.ts';

/** Number of changes of the acting account that a job keeps, unless each one names another account. */
const MOST_CHANGES = 100;

/**
 * Returns the account whose rights the tasks of a job have; null when it is unknown. A process of an older version, which
 * may still run beside this one, stores only the job's creator.
 */
export const actingAccountOf = ({ actingAccount, created_by }: Head): string | null =>
  actingAccount ?? created_by ?? null;

/** Error of a task with side effects in a job of an older version whose trigger can no longer be determined. */
export const NOBODY =
  'the account for which the job runs is unknown: retry the task, and the job runs for the account that retries it';

/** Returns the ids of the accounts that confirmed a task, or one above its job: the task has only rights that all have. */
export const confirmersOf = (
  { confirmedBy: above = [] }: Head,
  task?: Pick<TaskState, 'confirmedBy'>,
): string[] => [...new Set([...above, ...(task?.confirmedBy ? [task.confirmedBy] : [])])];

/**
 * Returns who started a job, for whom it acts and who confirmed it, for its child jobs and its error handler; null when the
 * acting account is unknown.
 *
 * @param task the task that starts the child jobs
 */
export function startedBy(head: Head, task?: Pick<TaskState, 'confirmedBy'>) {
  const actingAccount = actingAccountOf(head);
  if (actingAccount === null) return null;
  return {
    account: head.created_by ?? null,
    actingAccount,
    actingHistory: head.actingHistory,
    confirmedBy: confirmersOf(head, task),
    tokenRoles: head.tokenRoles,
    initiator: String(head.initiator ?? head.variables.initiator ?? ''),
  };
}

/**
 * Returns the head of a job after the event's account acted on it. An account that retries, continues or reverts becomes
 * the acting account, with its own rights; one that finishes a task that others name as their actor confirms those
 * (docs/decisions/0056).
 */
export function headBy(given: Head, { tasks }: Plan, event: Event): Head {
  const { by, type, at } = event;
  if (!by) return given;
  const head = { ...given, last_updated_by: by.id };
  if (type === 'retry' || type === 'continue' || type === 'revert')
    return actingAs(head, by, { by: type, at });
  const confirms = type === 'finish' && Object.values(tasks).some(({ actor }) => actor === event.task);
  return confirms ? confirmedWith(head, by) : head;
}

/**
 * Returns the head with another acting account, and the change recorded. The new account acts with the rights of its
 * request: all of its own, or those that a personal token leaves.
 */
function actingAs(
  given: Head,
  caller: Pick<Caller, 'id' | 'token'>,
  change: Required<Pick<ActingChange, 'at' | 'by'>>,
): Head {
  const { tokenRoles = {}, ...rest } = given;
  const { [caller.id]: _, ...others } = tokenRoles;
  const head = withTokenRoles(rest, { ...others, ...tokenRolesOf(caller) });
  const from = actingAccountOf(head);
  if (from === caller.id) return head;
  const history = [...(head.actingHistory ?? []), { from, to: caller.id, ...change }];
  return { ...head, actingAccount: caller.id, actingHistory: shortened(history) };
}

/**
 * Returns the job after an account finished a manual task that other tasks name as their actor. With a personal token it
 * confirms with the token's roles only; the limits of an earlier token of the account remain.
 */
function confirmedWith(head: Head, { id, token }: Pick<Caller, 'id' | 'token'>): Head {
  if (!token) return head;
  const before = head.tokenRoles?.[id];
  const roles = before ? token.roles.filter((role) => before.includes(role)) : token.roles;
  return withTokenRoles(head, { ...head.tokenRoles, [id]: [...roles] });
}

const withTokenRoles = (head: Head, tokenRoles: TokenRoles): Head =>
  Object.keys(tokenRoles).length === 0 ? head : { ...head, tokenRoles: mutable(tokenRoles) };

const mutable = (roles: TokenRoles) =>
  Object.fromEntries(Object.entries(roles).map(([id, names]) => [id, [...names]]));

/** Drops one change away from an account that a later change names as well: every account that ever acted stays named. */
function shortened(history: readonly ActingChange[]): ActingChange[] {
  if (history.length <= MOST_CHANGES) return [...history];
  const at = history.findIndex(({ from }, index) =>
    history.slice(index + 1).some((one) => one.from === from),
  );
  return at < 0 ? [...history] : history.toSpliced(at, 1);
}

/** Returns the accounts that started a job, or are or were its acting account: none can be the second pair of eyes. */
export const partiesOf = (head: Head): (string | null | undefined)[] => [
  head.created_by,
  actingAccountOf(head),
  ...(head.actingHistory ?? []).flatMap(({ from, to }) => [from, to]),
];
