import { getAdapterRow } from '#server/domains/network/index.ts';
import type { DeviceContext } from '#server/kernel/contexts.ts';
import { conflict, forbidden, invalidRequest, notFound } from '#server/kernel/errors.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { mayCallProvided, rolesNeeded } from '#server/kernel/principal.ts';
import { ADMIN } from '#server/kernel/roles.ts';
import type { AdapterCall } from '../adapter-task.ts';
import { callOperation } from '../calls/call.service.ts';
import { callPackage } from '../packages/call-package.service.ts';
import type { PackageResult } from '../packages/package-outcome.ts';
import type { PlannedAdapterTask } from '../types/adapter-type.ts';
import { faceValues } from '../types/face.ts';
import { faceResultOf } from '../types/face-outcome.ts';
import { providedMethodOf } from '../types/provided-method.ts';
import { findAdapterTasks } from '../types/tasks.service.ts';
import { methodFault } from './method-fault.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * Runs a task of an adapter for a caller who is an admin, or holds a role that allows it: an operation of an integration, a
 * method of an adapter package, or a task of the face of an integration.
 *
 * @param adapter name of the adapter
 * @param task name of the task in the list of its type
 * @param values by the names of the task's incoming values
 * @returns of an operation the response of any status; of a method and of a face the outgoing value, null without one
 * @throws ServiceError NOT_FOUND for an unknown adapter or task; FORBIDDEN; CONFLICT for a stopped adapter, and for one that
 *   only workflows call; BAD_REQUEST with all issues of the values; BAD_GATEWAY, GATEWAY_TIMEOUT, TOO_MANY_REQUESTS or
 *   SERVICE_UNAVAILABLE with `reason` when there is no result, or the method reports an error
 */
export async function runTask(
  call: DeviceContext,
  adapter: string,
  task: string,
  values: Values,
): Promise<unknown> {
  const { doc } = await getAdapterRow(call.db, adapter);
  const { type, properties } = doc.properties;
  const face = doc.virtual ? faceTypeOf(properties) : undefined;
  const types = face === undefined ? [type] : [type, face];
  const wanted = types.map((one) => ({ type: one, name: task, values: Object.keys(values) }));
  const { planned } = await findAdapterTasks(call, { tasks: wanted });
  const found = planned.find((one) => one.type === type || one.call.provider === 'face');
  const method = found ? providedMethodOf(found) : { provenance: type, name: task, isRead: false };
  if (!mayCallProvided(call.principal, method)) throw forbidden(rolesNeeded(ADMIN));
  if (!found) throw notFound('Task', `${task} of ${types.join(' or ')}`);
  return resultOf(call, adapter, found, values);
}

const faceTypeOf = (connection: unknown): string | undefined => {
  const face = isObject(connection) ? connection.face : undefined;
  return isObject(face) && typeof face.type === 'string' ? face.type : undefined;
};

async function resultOf(
  call: DeviceContext,
  adapter: string,
  { type, name, effect, effects, call: carriedOut }: PlannedAdapterTask,
  values: Values,
): Promise<unknown> {
  const options = { key: call.request.id, signal: call.request.gone() };
  switch (carriedOut.provider) {
    case 'document':
      return callOperation(call, adapter, carriedOut.operation, values, options);
    case 'face': {
      const { operation, output } = carriedOut;
      const answer = await callOperation(call, adapter, operation, valuesBehind(carriedOut, values), options);
      return outgoingOf(faceResultOf({ adapter, task: name, output }, answer), adapter);
    }
    case 'package': {
      const { signal } = options;
      const about = { effect: effects?.[adapter] ?? effect, signal };
      const result = await callPackage(call, adapter, carriedOut, values, about);
      signal.throwIfAborted();
      return outgoingOf(result, adapter);
    }
    case 'none':
      throw conflict(`Adapter ${adapter} is called by workflows only: nothing is installed for ${type}`);
  }
}

/** Returns the values of the operation behind a face. @throws ServiceError BAD_REQUEST for those that it does not have */
function valuesBehind(face: Extract<AdapterCall, { provider: 'face' }>, given: Values): Values {
  const { values, unknown } = faceValues(face, given);
  if (unknown.length === 0) return values;
  const message = `is no value of ${face.operation.name} of ${face.model}: map it in the face`;
  throw invalidRequest(unknown.map((name) => ({ path: [name], message, code: 'unrecognized_keys' })));
}

/** Returns the one outgoing value of a result. @throws ServiceError for an error */
function outgoingOf(result: PackageResult, adapter: string): unknown {
  if (!result.ok) throw methodFault(adapter, result.error);
  const [value = null] = Object.values(result.outgoing);
  return value;
}
