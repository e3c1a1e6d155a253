import { and, eq, sql } from 'drizzle-orm';
import { publish } from '#db/connections/publish.ts';
import type { Trigger } from '#db/schemas/workflow/trigger.ts';
import { automations, triggers } from '#db/tables/assets/assets.ts';
import { assertMayWriteIn } from '#server/domains/assets/index.ts';
import { activeCaller } from '#server/domains/identity/index.ts';
import type { ReadContext, SystemContext } from '#server/kernel/contexts.ts';
import { forbidden, ServiceError } from '#server/kernel/errors.ts';
import { type Caller, mayCall } from '#server/kernel/principal.ts';
import { JOB_START } from '#server/kernel/roles.ts';
import { clipped } from '#server/kernel/text/clipped.ts';
import { visibleAutomations } from '../../automations/store.service.ts';
import type { CheckedDefinition } from '../store/definitions.service.ts';

/** Topic of the event about a trigger that was not allowed to start anything. */
const REFUSED = 'triggerRefused';

/**
 * Returns the account for which a trigger starts its automation by itself, in its current state: it must be allowed to run
 * the automation by hand (docs/decisions/0056). The caller must have loaded the sign-in rules before the transaction began.
 *
 * @throws ServiceError FORBIDDEN with what it lacks
 */
export async function triggerCaller({ db, platform }: SystemContext, trigger: Trigger): Promise<Caller> {
  const { name, type, actionId = '', runAs } = trigger;
  if (!runAs) throw forbidden(`Trigger ${name} has no account to run as: save or enable it again`);
  const ctx = { db, platform, isTransaction: true };
  const caller = await activeCaller(ctx, runAs, 'for which the trigger runs');
  const permission = `OperationsManager.${type === 'schedule' ? 'runScheduleTrigger' : 'runManualTrigger'}`;
  if (!mayCall(caller, JOB_START, permission)) {
    throw forbidden(`${accountPhrase(caller)} needs one of the roles: ${JOB_START.join(', ')}`);
  }
  const isReadable = and(eq(automations.id, actionId), visibleAutomations(caller));
  if ((await db.$count(automations, isReadable)) === 0)
    throw forbidden(`${accountPhrase(caller)} may not read the automation of the trigger`);
  return caller;
}

/**
 * Rejects a start for an account that may not start the workflow.
 *
 * @throws ServiceError FORBIDDEN when the account of a trigger may not execute the project of the workflow
 */
export async function assertMayStart(
  { db }: SystemContext,
  caller: Caller,
  { projectId }: CheckedDefinition,
): Promise<void> {
  try {
    await assertMayWriteIn({ db, principal: caller }, projectId, 'execute');
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw forbidden(`${accountPhrase(caller)} may not start the workflow: ${error.message}`);
  }
}

const accountPhrase = ({ username, id }: Caller) =>
  `Account ${username} (${id}), for which the trigger runs,`;

/** Writes the result of a start into a trigger; its timestamps stay, since this is no change that an editor must notice. */
export async function noteResult(
  { db }: Pick<ReadContext, 'db'>,
  trigger: Trigger,
  members: Pick<Trigger, 'lastExecuted' | 'lastResult'>,
): Promise<void> {
  await db.execute(sql`update ${triggers} set doc = doc || ${JSON.stringify(members)}::text::jsonb, rev = rev + 1
    where id = ${trigger._id}`);
}

/** Records and publishes why a trigger started nothing. */
export async function reportRejectedStart(
  { db, platform }: SystemContext,
  trigger: Trigger,
  reason: string,
): Promise<void> {
  const message = clipped(reason, 2000);
  const lastResult = { at: platform.now().getTime(), started: false, message, jobId: null };
  await noteResult({ db }, trigger, { lastResult });
  // A trigger on this very event would cause the next one forever.
  if (trigger.type === 'eventSystem' && trigger.topic === REFUSED) return;
  const documents = trigger.actionId ? [trigger.actionId] : [];
  await publish(db, [
    {
      source: '@vendor/operations-manager',
      topic: REFUSED,
      subjects: [trigger._id, ...documents],
      kind: 'automation',
      documents,
      payload: { triggerId: trigger._id, name: trigger.name, runAs: trigger.runAs ?? null, reason: message },
    },
  ]);
}
