import { assertStillOwnsWorkflow, DBOSWorkflowConflictError } from '@dbos-inc/dbos-sdk/datasource';
import { currentOwnerXid } from '@dbos-inc/dbos-sdk/internal/context';
import { isUnavailable } from '#db/client.ts';

/** Thrown when the engine's own connection is lost: its driver reports the loss without an error code. */
class EngineAway extends Error {}

/** Returns whether an error means that the database is unreachable, for us or for the engine. */
export const isAway = (error: unknown): boolean => isUnavailable(error) || error instanceof EngineAway;

/**
 * Checks that this execution still owns its work.
 *
 * @param work id of the work
 * @throws DBOSWorkflowConflictError when another execution has taken over the work, or it was canceled; EngineAway
 *   when the owner cannot be looked up
 */
export async function assertOurs(work: string): Promise<void> {
  try {
    await assertStillOwnsWorkflow(work);
  } catch (error) {
    if (error instanceof DBOSWorkflowConflictError) throw error;
    throw new EngineAway('the owner of the work could not be looked up', { cause: error });
  }
}

/** Returns the id of this execution of the work, unique even within this process: the engine generated it at the start. */
export function tokenOf(work: string): string {
  const token = currentOwnerXid(work);
  if (token === undefined) throw new Error('called outside of durable work');
  return token;
}

/** Returns the error that ends an execution which lost its work: the engine then waits for the new owner's result. */
export const workLost = (work: string): Error => new DBOSWorkflowConflictError(work);
