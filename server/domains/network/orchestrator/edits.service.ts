import type { SystemContext } from '#server/kernel/contexts.ts';
import type { Edit, Verdict } from '#server/southbound/orchestrator/ports.ts';
import { callAndRecord, defaultOrchestrator, orchestratorNamed } from '../adapters/targets.service.ts';

/**
 * Returns the name of an orchestrator adapter: the given one, else the one for calls that name none.
 *
 * @param given name of an adapter; "" for none
 * @throws ServiceError NOT_FOUND, BAD_REQUEST, CONFLICT
 */
export async function orchestratorOr(call: SystemContext, given: string): Promise<string> {
  const row =
    given === '' ? await defaultOrchestrator(call) : await orchestratorNamed(call, given, ['adapter_id']);
  return row.id;
}

/**
 * Writes configuration of an orchestrator in one transaction, or tries it with a dry run.
 *
 * @param adapter name of the adapter
 * @param dryRun true: the orchestrator validates and commits nothing
 * @throws ServiceError BAD_REQUEST, NOT_FOUND, CONFLICT; BAD_GATEWAY and GATEWAY_TIMEOUT when nothing was decided
 */
export async function editOrchestrator(
  call: SystemContext,
  adapter: string,
  edit: Edit,
  { dryRun }: { dryRun: boolean },
): Promise<Verdict> {
  const row = await orchestratorNamed(call, adapter, ['adapter_id']);
  return callAndRecord(call, row, (target) => call.platform.orchestrator.edit(target, edit, dryRun));
}

/**
 * Returns an entry of a list of an orchestrator.
 *
 * @param adapter name of the adapter
 * @param path RESTCONF path or keypath of the list
 * @param keys values of its keys, in the order of the YANG model
 * @throws ServiceError BAD_REQUEST, NOT_FOUND, CONFLICT, BAD_GATEWAY
 */
export async function readInstance(
  call: SystemContext,
  adapter: string,
  path: string,
  keys: readonly string[],
): Promise<unknown> {
  const row = await orchestratorNamed(call, adapter, ['adapter_id']);
  return callAndRecord(call, row, (target) => call.platform.orchestrator.readInstance(target, path, keys));
}
