import { inTransaction } from '#db/client.ts';
import { addGroupDevices } from '#server/domains/golden-config/index.ts';
import { createHost, testHost } from '#server/domains/network/index.ts';
import { ownField } from '#server/kernel/json/objects.ts';
import type { EffectRun } from '../../tasks/outcome.ts';
import { broken, succeeded } from '../finish.ts';
import { deviceContextOf, writeContextOf } from '../task-contexts.service.ts';
import { named, number, object, optional, shown, type TaskInput, TaskInputError } from '../task-input.ts';
import { namesIn } from './host-commands.ts';

/** Returns the first of the variables that is set, as text. */
const firstOf = (variables: TaskInput, names: readonly string[]): string =>
  names.map((name) => shown(ownField(variables, name))).find(Boolean) ?? '';

/** Returns a host of the cli inventory from the variables that inventories of other products have. */
function hostOf(name: string, variables: TaskInput) {
  const host = firstOf(variables, ['ansible_host', 'host', 'ipaddress']);
  if (host === '') throw new TaskInputError('variables.ansible_host', 'is missing');
  const type = firstOf(variables, ['device_type', 'ansible_network_os', 'ostype']) || 'generic';
  const username = firstOf(variables, ['ansible_user', 'ansible_username', 'username']);
  const password = firstOf(variables, ['ansible_password', 'ansible_ssh_pass', 'password']);
  const enablePassword = firstOf(variables, ['ansible_become_password', 'become_pass', 'secret']);
  const credential = firstOf(variables, ['credential']);
  const port = ['ansible_port', 'port'].find((one) => shown(variables[one]) !== '');
  return {
    name,
    host,
    device_type: type,
    ...(port !== undefined && { port: number(variables, port) }),
    ...(username && { username }),
    ...(password && { password }),
    ...(enablePassword && { enablePassword }),
    ...(credential && { credential }),
  };
}

const createDeviceRaw: EffectRun = async (incoming, world) => {
  const host = hostOf(named(incoming, 'name'), optional(object, incoming, 'variables', {}));
  const ctx = await writeContextOf(world);
  const { data } = await inTransaction(world.db, (db) => createHost({ ...ctx, db }, 'cli', host));
  return succeeded({ result: data });
};

const addDeviceToDeviceGroup: EffectRun = async (incoming, world) => {
  const group = named(incoming, 'name');
  const devices = namesIn(incoming, 'devices');
  if (devices.length === 0) throw new TaskInputError('devices', 'names no device');
  const ctx = await writeContextOf(world);
  const { group: result } = await inTransaction(world.db, (db) =>
    addGroupDevices({ ...ctx, db }, group, devices),
  );
  return succeeded({ result });
};

const connectDevice: EffectRun = async (incoming, world) => {
  const name = named(incoming, 'name');
  const result = await testHost(await deviceContextOf(world), name, world.signal);
  if (result.ok) return succeeded({ result });
  const reason = 'reason' in result ? result.reason : 'UNREACHABLE';
  return { ...broken(`${name}: ${result.detail}`, { reason }), outgoing: { result } };
};

/** The runs of these tasks, by application and name. */
export const INVENTORY_EFFECTS: Readonly<Record<string, EffectRun>> = {
  'AutomationGateway.addDeviceToDeviceGroup': addDeviceToDeviceGroup,
  'AutomationGateway.connectDevice': connectDevice,
  'AutomationGateway.createDeviceRaw': createDeviceRaw,
};
