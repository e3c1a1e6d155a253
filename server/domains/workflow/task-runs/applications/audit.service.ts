import { writeAuditRecord } from '#server/kernel/audit/audit.service.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { clipped } from '#server/kernel/text/clipped.ts';
import type { TaskEnvironment } from '../../tasks/outcome.ts';

/** A change of an orchestrator by a job. */
export type OrchestratorEdit = { adapter: string; what: string; status: number };

/** Adds a change of an orchestrator to the audit trail: the row outlives the job, and is not rolled back with it. */
export const auditEdit = (
  world: TaskEnvironment,
  caller: Caller,
  { adapter, what, status }: OrchestratorEdit,
): Promise<void> =>
  writeAuditRecord(
    world.db,
    {
      account: caller.username,
      accountId: caller.id,
      credential: caller.credential ?? null,
      address: null,
      operation: 'OrchestratorManager.restAction',
      requestId: world.key,
      outcome: status < 400 ? 'ok' : 'refused',
      status,
      changes: [{ kind: 'adapter calls', id: adapter, name: clipped(what, 200) }],
    },
    world.now(),
  );
