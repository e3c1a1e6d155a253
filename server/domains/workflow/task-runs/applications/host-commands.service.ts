import { retryUntilAvailable } from '#db/connections/retry-until-available.ts';
import { configureHost, getGroup } from '#server/domains/golden-config/index.ts';
import { runOnHost, unknownHosts } from '#server/domains/network/index.ts';
import type { DeviceContext } from '#server/kernel/contexts.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import type { EffectRun, TaskOutcome } from '../../tasks/outcome.ts';
import { overridesOf } from '../devices.service.ts';
import { broken, succeeded } from '../finish.ts';
import { deviceContextOf } from '../task-contexts.service.ts';
import { optional, type TaskInput, TaskInputError, text } from '../task-input.ts';
import {
  completedWith,
  gatewayResult,
  type HostResponse,
  linesIn,
  MOST,
  type NodeResult,
  namesIn,
  nodesIn,
  responseOf,
  shownLines,
  unavailable,
} from './host-commands.ts';

/** Number of hosts that are processed at the same time. */
const AT_ONCE = 16;

/** Returns the hosts that `_hosts` names and the devices of the groups that `_groups` names, each once. */
async function hostsOf(call: DeviceContext, incoming: TaskInput): Promise<string[]> {
  const hosts = new Set(namesIn(incoming, '_hosts'));
  for (const group of namesIn(incoming, '_groups')) {
    for (const device of (await getGroup(call, group)).parse().devices) hosts.add(device);
  }
  if (hosts.size === 0) throw new TaskInputError('_hosts', 'names no host');
  if (hosts.size > MOST.hosts) throw new TaskInputError('_hosts', `names more than ${MOST.hosts} hosts`);
  return [...hosts];
}

/**
 * Processes all hosts and returns what `work` returns for each, in the order of the hosts. Nothing is sent to any host when
 * the inventory lacks one of them: `unknown` names those.
 */
async function eachHost<T>(
  call: DeviceContext,
  hosts: readonly string[],
  work: (host: string) => Promise<T[]>,
): Promise<{ unknown: string[]; found: T[] }> {
  const unknown = await unknownHosts(call, [...hosts]);
  if (unknown.length > 0) return { unknown, found: [] };
  const found: T[][] = [];
  const waiting = hosts.entries();
  const worker = async () => {
    // The database is asked before a host is: an error of it means that nothing was sent, and ends no task whose other hosts
    // would go on without it.
    for (const [at, host] of waiting) found[at] = await retryUntilAvailable(() => work(host));
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, hosts.length) }, worker));
  return { unknown, found: found.flat() };
}

/** The outcome of a task whose hosts respond as `AGManager` does: a host that fails has FAILURE, and the task succeeds. */
async function onHosts(
  call: DeviceContext,
  incoming: TaskInput,
  work: (host: string) => Promise<HostResponse[]>,
): Promise<TaskOutcome> {
  const { unknown, found } = await eachHost(call, await hostsOf(call, incoming), work);
  if (unknown.length === 0) return succeeded({ stdout: completedWith(found) });
  const stdout = unavailable(unknown);
  return { ...broken(String(stdout.failed[0]?.message), { hosts: unknown }), outgoing: { stdout } };
}

/** The outcome of a task whose hosts respond as `GatewayManager` does: each result says whether its command succeeded. */
async function onNodes(
  call: DeviceContext,
  incoming: TaskInput,
  work: (host: string) => Promise<NodeResult[]>,
): Promise<TaskOutcome> {
  const hosts = nodesIn(incoming, 'inventory');
  if (hosts.length === 0) throw new TaskInputError('inventory', 'names no host');
  if (hosts.length > MOST.hosts) throw new TaskInputError('inventory', `names more than ${MOST.hosts} hosts`);
  const { unknown, found } = await eachHost(call, hosts, work);
  if (unknown.length === 0) return succeeded({ result: gatewayResult('completed', found) });
  const message = `Not all devices available: ${unknown.join(', ')}`;
  return { ...broken(message, { hosts: unknown }), outgoing: { result: gatewayResult('failed', []) } };
}

/** Returns the message of an expected failure. @throws any other error, and every error once the job was canceled */
function messageOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted || !(error instanceof ServiceError)) throw error;
  return error.message;
}

/** Returns the commands of an incoming value: one at least. @throws TaskInputError */
function commandsIn(incoming: TaskInput, name: string): string[] {
  const commands = linesIn(incoming, name);
  if (commands.length === 0) throw new TaskInputError(name, 'is missing');
  if (commands.length > MOST.commands)
    throw new TaskInputError(name, `holds more than ${MOST.commands} commands`);
  return commands;
}

/** What a host showed for a command, or for lines of a configuration, and whether it accepted them. */
type Shown = { command: string; success: boolean; output: string };

/** Sends commands to a host. @param at the incoming value that holds them @throws Error as `messageOf` */
async function sendTo(
  call: DeviceContext,
  world: Parameters<EffectRun>[1],
  host: string,
  commands: readonly string[],
  at: string,
): Promise<Shown[]> {
  try {
    const how = { signal: world.signal, requestId: world.key, most: MOST.commands, at: [at] };
    const { result } = await runOnHost(call, host, commands, how);
    return result.map(({ command, status, output }) => ({ command, success: status === 'success', output }));
  } catch (error) {
    const output = messageOf(error, world.signal);
    return commands.map((command) => ({ command, success: false, output }));
  }
}

/** Configures a host. @throws Error as `messageOf` */
async function configure(
  call: DeviceContext,
  world: Parameters<EffectRun>[1],
  host: string,
  how: Parameters<typeof configureHost>[2],
): Promise<Shown> {
  const command = how.lines.join('\n');
  try {
    const result = await configureHost(call, host, how);
    const success = result.every(({ status }) => status === 'success');
    return { command, success, output: shownLines(result) };
  } catch (error) {
    return { command, success: false, output: messageOf(error, world.signal) };
  }
}

const responseFor = (host: string, { command, success, output }: Shown): HostResponse =>
  responseOf(host, command, success ? 'SUCCESS' : 'FAILURE', output);

const itentialCli: EffectRun = async (incoming, world) => {
  const commands = commandsIn(incoming, 'command');
  const call = await deviceContextOf(world);
  return onHosts(call, incoming, async (host) =>
    (await sendTo(call, world, host, commands, 'command')).map((one) => responseFor(host, one)),
  );
};

/** Names of connection settings in the exports of other platforms, and ours. */
const PROVIDER: Readonly<Record<string, string>> = {
  username: 'username',
  password: 'password',
  secret: 'secret',
  port: 'port',
  device_type: 'device_type',
  timeout: 'read_timeout',
};

/** Returns the connection settings of `provider`; the address is that of the inventory. */
function providerOf(incoming: TaskInput) {
  const given = Object.hasOwn(incoming, 'provider') ? incoming.provider : undefined;
  if (!isObject(given)) return {};
  const known = Object.entries(PROVIDER).flatMap(([name, ours]) =>
    Object.hasOwn(given, name) ? [[ours, given[name]]] : [],
  );
  return overridesOf({ connection_options: Object.fromEntries(known) });
}

const itentialNetmikoSetConfig: EffectRun = async (incoming, world) => {
  const lines = [...linesIn(incoming, 'parents'), ...linesIn(incoming, 'lines')];
  if (lines.length === 0) throw new TaskInputError('lines', 'is missing');
  const how = {
    lines,
    endCommand: optional(text, incoming, 'end_command', ''),
    saveCommand: optional(text, incoming, 'save_command', ''),
    overrides: providerOf(incoming),
  };
  const call = await deviceContextOf(world);
  return onHosts(call, incoming, async (host) => [
    responseFor(host, await configure(call, world, host, how)),
  ]);
};

const sendCommand: EffectRun = async (incoming, world) => {
  const commands = commandsIn(incoming, 'commands');
  const call = await deviceContextOf(world);
  return onNodes(call, incoming, async (name) =>
    (await sendTo(call, world, name, commands, 'commands')).map((one) => ({ name, ...one })),
  );
};

const sendConfig: EffectRun = async (incoming, world) => {
  const how = { lines: commandsIn(incoming, 'config'), endCommand: '', saveCommand: '', overrides: {} };
  const call = await deviceContextOf(world);
  return onNodes(call, incoming, async (name) => [{ name, ...(await configure(call, world, name, how)) }]);
};

/** The runs of these tasks, by application and name. */
export const HOST_COMMAND_EFFECTS: Readonly<Record<string, EffectRun>> = {
  'AGManager.itential_cli': itentialCli,
  'AGManager.itential_netmiko_set_config': itentialNetmikoSetConfig,
  'GatewayManager.sendCommand': sendCommand,
  'GatewayManager.sendConfig': sendConfig,
};
