import type { Ned } from '#db/schemas/network/ned.ts';
import type { DeviceContext, SystemContext } from '#server/kernel/contexts.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import type { JsonObject } from '#server/kernel/json/objects.ts';
import { assertNone } from '#server/kernel/validation/document-issues.ts';
import {
  callAndRecord,
  defaultOrchestrator,
  orchestratorNamed,
  runningOrchestrators,
} from '../adapters/targets.service.ts';
import { commandIssues } from '../gateway/command-rules.ts';
import { assertPolicy } from '../gateway/policies.service.ts';
import { deviceCommandsOf, kindOf } from './device-commands.ts';
import { type ExchangeRequest, entryOf, exchangeOf } from './exchange.ts';

/**
 * Sends a request to an orchestrator; any response is data (contract/endpoints#4.1).
 *
 * @param body of the request, sent as JSON
 * @returns one entry with `result`, the HTTP status as text, and `body` or `errors` of the response
 * @throws ServiceError BAD_REQUEST; FORBIDDEN for commands that a policy denies; NOT_FOUND for the adapter; CONFLICT
 *   when it is stopped; BAD_GATEWAY and GATEWAY_TIMEOUT when it cannot be reached, does not respond, or rejects our
 *   credential
 */
export async function restAction(
  call: DeviceContext,
  adapterId: string,
  params: ExchangeRequest,
  body: JsonObject,
) {
  const exchange = exchangeOf(params, body);
  await assertCommands(call, adapterId, params.path, body);
  const row = await orchestratorNamed(call, adapterId);
  return [
    entryOf(await callAndRecord(call, row, (target) => call.platform.orchestrator.send(target, exchange))),
  ];
}

/**
 * Reads from an orchestrator (contract/endpoints#4.2).
 *
 * @returns `instance_data`: content of the response; an empty object without one
 * @throws ServiceError as restAction; NOT_FOUND for missing data
 */
export async function restQuery(call: SystemContext, adapterId: string, { path, accept }: ExchangeRequest) {
  const exchange = exchangeOf({ path, accept, method: 'GET' }, undefined);
  const row = await orchestratorNamed(call, adapterId);
  return answered(
    await callAndRecord(call, row, (target) => call.platform.orchestrator.ask(target, exchange)),
  );
}

/**
 * Runs an action of an orchestrator (contract/lifecycle#9).
 *
 * @param path of the action, which begins with `/restconf` or `/api`
 * @param body of the request, sent as JSON
 * @returns `instance_data`: content of the response; an empty object without one
 * @throws ServiceError as restQuery
 */
export async function runAction(call: DeviceContext, adapterId: string, path: string, body: JsonObject) {
  const accept = 'application/yang-data+json';
  const exchange = exchangeOf({ path, accept, method: 'POST' }, body);
  await assertCommands(call, adapterId, path, body);
  const row = await orchestratorNamed(call, adapterId);
  return answered(
    await callAndRecord(call, row, (target) => call.platform.orchestrator.ask(target, exchange)),
  );
}

/**
 * Applies command policies to commands that reach a device through an orchestrator (docs/decisions/0092).
 *
 * @throws ServiceError BAD_REQUEST for commands that no device may be sent; FORBIDDEN
 */
async function assertCommands(
  call: DeviceContext,
  adapterId: string,
  path: string,
  body: JsonObject,
): Promise<void> {
  const commands = deviceCommandsOf(path, body);
  if (!commands) return;
  const driver = kindOf(commands, call.platform.cli.drivers);
  assertNone(commandIssues(commands.lines, ['body'], false));
  await assertPolicy(
    { db: call.db, principal: call.principal },
    { host: commands.device || adapterId, driver, commands: commands.lines },
  );
}

/** Wraps the content of a response; missing content becomes an empty object. */
const answered = (content: unknown) => ({ instance_data: content ?? {} });

/**
 * Loads service data into the orchestrator and validates the commit without committing (contract/endpoints#4.18).
 *
 * @param servicePath RESTCONF path of the service
 * @param serviceData instance of the service, as in a RESTCONF request
 * @returns whether the data is valid, why it is not, and the changes to devices if the orchestrator reports them
 * @throws ServiceError CONFLICT when no adapter, or more than one, qualifies; BAD_GATEWAY and GATEWAY_TIMEOUT: a failed
 *   validation is never reported as an invalid commit
 */
export async function validateCommit(call: SystemContext, servicePath: string, serviceData: JsonObject) {
  const row = await defaultOrchestrator(call);
  return callAndRecord(call, row, (target) =>
    call.platform.orchestrator.validateCommit(target, servicePath, serviceData),
  );
}

/** Returns the device drivers of an orchestrator (contract/endpoints#4.17). @throws ServiceError as restAction */
export async function listNeds(call: SystemContext, adapterId: string): Promise<Ned[]> {
  const row = await orchestratorNamed(call, adapterId);
  return callAndRecord(call, row, (target) => call.platform.orchestrator.listNeds(target));
}

/**
 * Lists the device drivers (NEDs) of an orchestrator, each with an id and the adapter (contract/lifecycle#9).
 *
 * @throws ServiceError as restAction
 */
export const listNedsById = async (call: SystemContext, adapterId: string) =>
  (await listNeds(call, adapterId)).map((ned) => ({ id: ned.ned_id, ...ned, adapter: adapterId }));

/** Returns the drivers of all running orchestrators that respond. @throws ServiceError when none responds */
export async function listAllNeds(call: SystemContext) {
  return fromAll(call, (name) => listNedsById(call, name));
}

/**
 * Returns the device names that contain a text, ignoring case, from all running orchestrators that respond.
 *
 * @param substring part of the name; "" matches every device
 * @throws ServiceError of the first orchestrator when all of them failed
 */
export async function findDevices(call: SystemContext, substring: string): Promise<string[]> {
  const wanted = substring.toLowerCase();
  const names = await fromAll(call, async (name) => {
    const row = await orchestratorNamed(call, name);
    const found = await callAndRecord(call, row, (target) => call.platform.orchestrator.listDevices(target));
    return found.map((device) => device.name);
  });
  return [...new Set(names)].filter((name) => name.toLowerCase().includes(wanted)).sort();
}

/** Returns the combined results of all running orchestrators; failed ones are omitted, unless all failed. */
async function fromAll<Value>(
  call: SystemContext,
  ask: (name: string) => Promise<Value[]>,
): Promise<Value[]> {
  const running = await runningOrchestrators(call);
  const outcomes = await Promise.allSettled(running.map(({ id }) => ask(id)));
  const failed = outcomes.filter((one) => one.status === 'rejected').map(({ reason }) => reason as unknown);
  const fault = failed.find((reason) => !(reason instanceof ServiceError));
  if (fault) throw fault;
  if (failed.length > 0 && failed.length === outcomes.length) throw failed[0];
  return outcomes.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
}
