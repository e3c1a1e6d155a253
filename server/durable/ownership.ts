import { assertStillOwnsWorkflow, DBOSWorkflowConflictError } from '@dbos-inc/dbos-sdk/datasource';
import { currentOwnerXid } from '@dbos-inc/dbos-sdk/internal/context';
import { isUnavailable } from '#db/client.ts';

/** The engine asks on a connection of its own, whose driver tells of its loss without a code that says so. */
class EngineAway extends Error {}

/** Whether the database cannot be reached now, by us or by the engine. */
export const isAway = (error: unknown): boolean => isUnavailable(error) || error instanceof EngineAway;

/** @throws DBOSWorkflowConflictError when another execution has taken the work over, or it was called off */
export async function assertOurs(work: string): Promise<void> {
  try {
    await assertStillOwnsWorkflow(work);
  } catch (error) {
    if (error instanceof DBOSWorkflowConflictError) throw error;
    throw new EngineAway('the engine could not be asked whose work this is', { cause: error });
  }
}

/** What tells this execution of the work from every other, in this process too: the engine drew it when it began. */
export function tokenOf(work: string): string {
  const token = currentOwnerXid(work);
  if (token === undefined) throw new Error('outside of any work');
  return token;
}

/** What ends an execution that lost its work: the engine then waits for what its new owner makes of it. */
export const lost = (work: string): Error => new DBOSWorkflowConflictError(work);
