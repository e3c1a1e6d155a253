import type { Ned } from '#db/schemas/network/ned.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import type { Platform } from '#server/kernel/platform.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { assertNone } from '#server/kernel/validation/document-issues.ts';
import {
  defaultOrchestrator,
  orchestratorNamed,
  reach,
  runningOrchestrators,
  type TargetContext,
} from '../adapters/targets.service.ts';
import { commandIssues } from '../gateway/command-rules.ts';
import { assertPolicy } from '../gateway/policies.service.ts';
import { deviceCommandsOf, kindOf } from './device-commands.ts';
import { type ExchangeRequest, entryOf, exchangeOf } from './exchange.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** A call that may have commands sent to devices. */
export type ActionContext = TargetContext & {
  principal: Caller;
  platform: TargetContext['platform'] & Pick<Platform, 'cli'>;
};

/**
 * Send a request to an orchestrator; whatever it answers is data (contract/endpoints#4.1).
 *
 * @throws ServiceError BAD_REQUEST; FORBIDDEN for commands that a policy denies; NOT_FOUND for the adapter; CONFLICT when it is stopped; BAD_GATEWAY and
 *   GATEWAY_TIMEOUT when it cannot be reached, does not answer, or refuses our credential
 */
export async function restAction(
  call: ActionContext,
  adapterId: string,
  params: ExchangeRequest,
  body: JsonObject,
) {
  const exchange = exchangeOf(params, body);
  await assertCommands(call, adapterId, params.path, body);
  const row = await orchestratorNamed(call, adapterId);
  return [entryOf(await reach(call, row, (target) => call.platform.orchestrator.send(target, exchange)))];
}

/**
 * Read from an orchestrator (contract/endpoints#4.2). @throws ServiceError as restAction; NOT_FOUND for what is not there
 */
export async function restQuery(call: TargetContext, adapterId: string, { path, accept }: ExchangeRequest) {
  const exchange = exchangeOf({ path, accept, method: 'GET' }, undefined);
  const row = await orchestratorNamed(call, adapterId);
  return answered(await reach(call, row, (target) => call.platform.orchestrator.ask(target, exchange)));
}

/** Run an action of an orchestrator (contract/lifecycle#9). @throws ServiceError as restQuery */
export async function runAction(call: ActionContext, adapterId: string, path: string, body: JsonObject) {
  const accept = 'application/yang-data+json';
  const exchange = exchangeOf({ path, accept, method: 'POST' }, body);
  await assertCommands(call, adapterId, path, body);
  const row = await orchestratorNamed(call, adapterId);
  return answered(await reach(call, row, (target) => call.platform.orchestrator.ask(target, exchange)));
}

/**
 * Command policies hold for commands that reach a device through an orchestrator too (docs/decisions/0092).
 *
 * @throws ServiceError BAD_REQUEST for what no device may be sent; FORBIDDEN
 */
async function assertCommands(
  call: ActionContext,
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

/** An answer without content is an empty one. */
const answered = (content: unknown) => ({ instance_data: content ?? {} });

/**
 * Load service data into the orchestrator and validate the commit; nothing is committed (contract/endpoints#4.18).
 *
 * @throws ServiceError CONFLICT when no adapter, or none alone, is meant; BAD_GATEWAY and GATEWAY_TIMEOUT: an orchestrator
 *   that cannot say is never an invalid commit
 */
export async function validateCommit(call: TargetContext, servicePath: string, serviceData: JsonObject) {
  const row = await defaultOrchestrator(call);
  return reach(call, row, (target) =>
    call.platform.orchestrator.validateCommit(target, servicePath, serviceData),
  );
}

/** The device drivers of an orchestrator (contract/endpoints#4.17). @throws ServiceError as restAction */
export async function listNeds(call: TargetContext, adapterId: string): Promise<Ned[]> {
  const row = await orchestratorNamed(call, adapterId);
  return reach(call, row, (target) => call.platform.orchestrator.listNeds(target));
}

/**
 * The same, each with an id and the adapter it was found through (contract/lifecycle#9). @throws ServiceError as restAction
 */
export const listNedsById = async (call: TargetContext, adapterId: string) =>
  (await listNeds(call, adapterId)).map((ned) => ({ id: ned.ned_id, ...ned, adapter: adapterId }));

/** The drivers of every orchestrator that runs and answers. @throws ServiceError when none of several answers */
export async function listAllNeds(call: TargetContext) {
  return fromAll(call, (name) => listNedsById(call, name));
}

/** Names of devices that hold a text, whatever its case, of every orchestrator that runs and answers. */
export async function findDevices(call: TargetContext, substring: string): Promise<string[]> {
  const wanted = substring.toLowerCase();
  const names = await fromAll(call, async (name) => {
    const row = await orchestratorNamed(call, name);
    const found = await reach(call, row, (target) => call.platform.orchestrator.listDevices(target));
    return found.map((device) => device.name);
  });
  return [...new Set(names)].filter((name) => name.toLowerCase().includes(wanted)).sort();
}

/** What all orchestrators answer together. One that is away is left out, unless none is left. */
async function fromAll<Value>(
  call: TargetContext,
  ask: (name: string) => Promise<Value[]>,
): Promise<Value[]> {
  const running = await runningOrchestrators(call);
  const asked = await Promise.allSettled(running.map(({ id }) => ask(id)));
  const failed = asked.filter((one) => one.status === 'rejected').map(({ reason }) => reason as unknown);
  const fault = failed.find((reason) => !(reason instanceof ServiceError));
  if (fault) throw fault;
  if (failed.length > 0 && failed.length === asked.length) throw failed[0];
  return asked.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
}
