import type { DeviceContext } from '#server/kernel/contexts.ts';
import { forbidden, notFound } from '#server/kernel/errors.ts';
import { mayCallProvided, rolesNeeded } from '#server/kernel/principal.ts';
import { ADMIN } from '#server/kernel/roles.ts';
import { type ApiAnswer, callOperation } from '../calls/call.service.ts';
import { findOperations, operationKey } from '../models/lookup.service.ts';
import { integrationRow } from './instances.service.ts';

/**
 * Runs a task of an integration for a caller who is an admin, or holds a role of the integration's model that allows it.
 *
 * @throws ServiceError NOT_FOUND for an unknown integration or task; FORBIDDEN; otherwise as callOperation
 */
export async function runTask(
  call: DeviceContext,
  integration: string,
  task: string,
  values: Readonly<Record<string, unknown>>,
): Promise<ApiAnswer> {
  const { doc } = await integrationRow(call, integration);
  const wanted = { versionId: doc.properties.type, name: task };
  const operation = (await findOperations(call.db, [wanted])).get(operationKey(wanted));
  const method = { provenance: wanted.versionId, name: task, isRead: operation?.effect === 'read' };
  if (!mayCallProvided(call.principal, method)) throw forbidden(rolesNeeded(ADMIN));
  if (!operation) throw notFound('Task', `${task} of ${wanted.versionId}`);
  const { id, gone } = call.request;
  return callOperation(call, integration, operation, values, { key: id, signal: gone() });
}
