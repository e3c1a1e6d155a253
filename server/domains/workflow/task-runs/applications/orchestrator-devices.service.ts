import * as orchestrators from '#server/domains/network/index.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { clipped } from '#server/kernel/text/clipped.ts';
import type { EffectRun, TaskEnvironment, TaskOutcome } from '../../tasks/outcome.ts';
import { broken, succeeded } from '../finish.ts';
import { deviceContextOf } from '../task-contexts.service.ts';
import {
  named,
  object,
  optional,
  required,
  shown,
  type TaskInput,
  TaskInputError,
  text,
} from '../task-input.ts';
import { auditEdit } from './audit.service.ts';
import { namesIn } from './host-commands.ts';

/** Returns the adapter that the task names, else the one for calls that name none. */
export const adapterOf = (incoming: TaskInput, world: TaskEnvironment): Promise<string> =>
  orchestrators.orchestratorOr(world, optional(text, incoming, 'adapter_id', ''));

const hasFailed = ({ result }: orchestrators.DeviceOutcome) => result === false || result === 'failed';

/** Returns the outcome of an action on devices; one that failed on a device is an error, with all results. */
function outcomeOf(
  called: string,
  found: readonly orchestrators.DeviceOutcome[],
  result: unknown,
): TaskOutcome {
  const failed = found.filter(hasFailed);
  if (failed.length === 0) return succeeded({ result });
  const failures = failed.map(({ device, info }) => `${device}${info && `: ${info}`}`).join('; ');
  const message = clipped(`${called} failed on ${failures}`, 2000);
  return { ...broken(message, { devices: failed.map(({ device }) => device) }), outgoing: { result } };
}

const onDevice =
  (variable: string, action: Parameters<typeof orchestrators.actOnDevice>[3]): EffectRun =>
  async (incoming, world) => {
    const adapter = await adapterOf(incoming, world);
    const device = named(incoming, variable);
    const found = await orchestrators.actOnDevice(await deviceContextOf(world), adapter, device, action);
    return outcomeOf(action, [found], found);
  };

const syncFrom = onDevice('name', 'sync-from');
const fetchSshKey = onDevice('device', 'ssh/fetch-host-keys');

const syncFromDevices: EffectRun = async (incoming, world) => {
  const adapter = await adapterOf(incoming, world);
  const devices = namesIn(incoming, 'devices');
  const found = await orchestrators.actOnDevices(await deviceContextOf(world), adapter, devices, 'sync-from');
  return outcomeOf('sync-from', found, found);
};

const checkSyncDevices: EffectRun = async (incoming, world) => {
  const adapter = await adapterOf(incoming, world);
  const devices = namesIn(incoming, 'devices');
  const found = await orchestrators.actOnDevices(
    await deviceContextOf(world),
    adapter,
    devices,
    'check-sync',
  );
  const value = found.map(({ device, result, info }) => ({
    devicename: device,
    syncstatus: String(result),
    info,
  }));
  return succeeded({ sync_statuses: { value } });
};

/** Kinds of driver, each the name of the field of `device-type` that holds its id. */
const KINDS = ['cli', 'netconf', 'generic', 'snmp'];

/** Returns a device as the orchestrator stores it (tailf-ncs:devices). @throws TaskInputError */
function deviceOf(info: TaskInput) {
  const inInfo = (reason: string, field: string) => new TaskInputError(`deviceInfo.${field}`, reason);
  const field = (name: string) => optional<string | undefined>(text, info, name, undefined);
  const { 'device-type': type, state, ...more } = info;
  const kind = typeof type === 'string' ? type : undefined;
  if (kind !== undefined && !KINDS.includes(kind))
    throw inInfo(`must be one of ${KINDS.join(', ')}`, 'device-type');
  if (kind === undefined && !isObject(type)) throw inInfo('is missing', 'device-type');
  const { ned, protocol, ...fields } = more;
  if (kind !== undefined && field('ned') === undefined) throw inInfo('is missing', 'ned');
  const driver = { 'ned-id': ned, ...(kind === 'cli' && protocol ? { protocol } : {}) };
  const port = shown(fields.port);
  if (port !== '' && !/^\d{1,5}$/.test(port)) throw inInfo('must be a number', 'port');
  return {
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== '')),
    ...(port !== '' && { port: Number(port) }),
    'device-type': kind === undefined ? type : { [kind]: driver },
    state: isObject(state) ? state : { 'admin-state': 'unlocked' },
  };
}

const addDevice: EffectRun = async (incoming, world) => {
  const adapter = await adapterOf(incoming, world);
  const info = object(incoming, 'deviceInfo');
  const name = named({ 'deviceInfo.name': required(info, 'name') }, 'deviceInfo.name');
  const device = deviceOf(info);
  const accept = 'application/yang-data+json';
  const call = await deviceContextOf(world);
  const params = { path: '/restconf/data/tailf-ncs:devices', method: 'POST', accept, contentType: accept };
  const [result] = await orchestrators.restAction(call, adapter, params, { 'tailf-ncs:device': [device] });
  const status = Number(result?.result);
  await auditEdit(world, call.principal, { adapter, what: `addDevice ${name}`, status });
  if (status < 400) return succeeded({ result });
  const [fault] = result?.errors ?? [];
  const reason = fault?.['error-message'] ?? `answered with status ${status}`;
  return { ...broken(`${adapter}: ${reason}`, { status, response: result }), outgoing: { result } };
};

const runAction: EffectRun = async (incoming, world) => {
  const adapter = await adapterOf(incoming, world);
  const params = object(incoming, 'params');
  const path = named({ 'params.path': params.path }, 'params.path');
  const body = optional(object, params, 'params', {});
  const found = await orchestrators.runAction(await deviceContextOf(world), adapter, restconfPath(path), {
    ...(Object.keys(body).length > 0 && { input: body }),
  });
  return succeeded({ response: found.instance_data });
};

/** Returns the RESTCONF path of an action, which may be written as a keypath: `/ncs:devices/device{ce1}/check-sync`. */
function restconfPath(written: string): string {
  if (/^\/(restconf|api)(\/|$)/.test(written)) return written;
  const place = written
    .replace(
      /\{([^{}]*)\}/g,
      (_, keys: string) => `=${keys.trim().split(/\s+/).map(encodeURIComponent).join(',')}`,
    )
    .replaceAll(/(^|\/)ncs:/g, '$1tailf-ncs:');
  return `/restconf/data${place.startsWith('/') ? '' : '/'}${place}`;
}

/** The runs of these tasks, by application and name. */
export const ORCHESTRATOR_DEVICE_EFFECTS: Readonly<Record<string, EffectRun>> = {
  'NSO.addDevice': addDevice,
  'NSO.checkSyncDevices': checkSyncDevices,
  'NSO.fetchSSHKey': fetchSshKey,
  'NSO.runAction': runAction,
  'NSO.syncFrom': syncFrom,
  'NSO.syncFromDevices': syncFromDevices,
};
