import { createHash } from 'node:crypto';
import { Selection } from '#db/schemas/network/selection.ts';
import * as live from '#server/domains/golden-config/index.ts';
import {
  type Overrides,
  selectDevices,
  sendCommand as send,
  type TraceInput,
  traceroute,
} from '#server/domains/network/index.ts';
import type { EffectRun } from '../tasks/outcome.ts';
import { succeeded } from './finish.ts';
import { deviceContextOf } from './task-contexts.service.ts';
import {
  flag,
  list,
  named,
  number,
  object,
  optional,
  type TaskInput,
  TaskInputError,
  text,
} from './task-input.ts';

type FieldReaders = Readonly<Record<string, typeof text | typeof number | typeof flag>>;

/** Returns the fields of an object that are set, each parsed by its type. @throws TaskInputError for an unknown field */
export function parsedFields(
  incoming: TaskInput,
  name: string,
  known: FieldReaders,
): Record<string, unknown> {
  const given = optional(object, incoming, name, {});
  const unknown = Object.keys(given).find((field) => !Object.hasOwn(known, field));
  if (unknown !== undefined) throw new TaskInputError(`${name}.${unknown}`, 'is not a known field');
  return Object.fromEntries(
    Object.entries(known).flatMap(([field, read]) => {
      const value = optional<unknown>(read, given, field, undefined);
      return value === undefined ? [] : [[field, value]];
    }),
  );
}

const OPTIONS = {
  device_type: text,
  username: text,
  password: text,
  secret: text,
  port: number,
  read_timeout: number,
  ssh_profile: text,
  jump_host: text,
};
const PROFILES = ['modern', 'compatible', 'legacy'];

/** Returns the connection options within the bounds of the endpoint (contract/endpoints#4.14). */
export function overridesOf(incoming: TaskInput): Overrides {
  const given = parsedFields(incoming, 'connection_options', OPTIONS);
  const wrong = (field: string, reason: string) => new TaskInputError(`connection_options.${field}`, reason);
  const { port = 22, read_timeout: seconds = 60, ssh_profile: profile = 'modern' } = given;
  if (!(Number.isInteger(port) && Number(port) >= 1 && Number(port) <= 65_535))
    throw wrong('port', 'must be 1 to 65535');
  if (!(Number(seconds) > 0 && Number(seconds) <= 3600)) throw wrong('read_timeout', 'must be at most 3600');
  if (!PROFILES.includes(String(profile)))
    throw wrong('ssh_profile', `must be one of ${PROFILES.join(', ')}`);
  // Each field was parsed by its type.
  return given as Overrides;
}

/** Sends commands. Commands that a device rejects are data: the task succeeds, and `result` has the outcome of each. */
const sendCommand: EffectRun = async (incoming, world) => {
  const commands = list(incoming, 'commands').map((command, at) => {
    if (typeof command !== 'string') throw new TaskInputError(`commands.${at}`, 'must be a string');
    return command;
  });
  const host = named(incoming, 'host');
  const connection_options = overridesOf(incoming);
  const how = { signal: world.signal, requestId: world.key };
  return succeeded({
    result: await send(await deviceContextOf(world), { host, commands, connection_options }, how),
  });
};

/** Selects devices as the account of the job; a selection that matches none fails, as it does in requests. */
const selectByProperties: EffectRun = async (incoming, world) => {
  const given = Selection.safeParse(object(incoming, 'selection'));
  const [issue] = given.error?.issues ?? [];
  if (!given.success)
    throw new TaskInputError(
      ['selection', ...(issue?.path ?? [])].join('.'),
      issue?.message ?? 'is not valid',
    );
  const devices = await selectDevices(await deviceContextOf(world), given.data, ['selection']);
  return succeeded({ devices, total: devices.length });
};

const TRACE = {
  do_not_fragment: flag,
  do_not_resolve: flag,
  do_not_lookup_asn: flag,
  initial_ttl: number,
  max_ttl: number,
  l3protocol: text,
  l4protocol: text,
  source: text,
  wait: number,
  network_instance: text,
};

const gnoiTraceroute: EffectRun = async (incoming, world) => {
  const options = parsedFields(incoming, 'options', TRACE);
  if (options.l4protocol !== undefined && !['ICMP', 'TCP', 'UDP'].includes(String(options.l4protocol)))
    throw new TaskInputError('options.l4protocol', 'must be one of ICMP, TCP, UDP');
  // Each field was parsed by its type.
  const request = {
    ...options,
    host: named(incoming, 'host'),
    destination: text(incoming, 'destination'),
  } as TraceInput;
  return succeeded({ result: await traceroute(await deviceContextOf(world), request) });
};

const backUpDevice: EffectRun = async (incoming, world) => {
  const name = named(incoming, 'name');
  const remarks = parsedFields(incoming, 'options', { description: text, notes: text }) as live.Remarks;
  // A repetition has the same id: what the lost process stored is found again.
  const id = createHash('sha256').update(world.key).digest('hex').slice(0, 24);
  const call = await deviceContextOf(world);
  const isTaken = await live.isTaken(call, id);
  const taken = isTaken ? { id } : await live.backUpDevice(call, name, remarks, { id });
  const backup = { id: taken.id, name };
  return succeeded({ backup, status: backup });
};

/** The runs of these tasks, by application and name. */
export const DEVICE_EFFECTS: Readonly<Record<string, EffectRun>> = {
  'ConfigurationManager.backUpDevice': backUpDevice,
  'AutomationGateway.gnoiTraceroute': gnoiTraceroute,
  'AutomationGateway.sendCommand': sendCommand,
  'AutomationGateway.selectDevices': selectByProperties,
};
