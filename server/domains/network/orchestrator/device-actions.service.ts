import type { DeviceContext } from '#server/kernel/contexts.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { runAction } from './orchestrator.service.ts';

const DEVICES = '/restconf/data/tailf-ncs:devices';

/** The outcome of an action for one device, with what the orchestrator says about it. */
export type DeviceOutcome = { device: string; result: boolean | string; info: string };

/**
 * Runs an action of one device.
 *
 * @param adapter name of the adapter
 * @param device name of the device in the orchestrator
 * @param action path below the device
 * @returns the outcome, with all other fields of the response
 * @throws ServiceError as runAction; NOT_FOUND for a device that the orchestrator does not have
 */
export async function actOnDevice(
  call: DeviceContext,
  adapter: string,
  device: string,
  action: 'sync-from' | 'ssh/fetch-host-keys',
): Promise<DeviceOutcome & Record<string, unknown>> {
  const path = `${DEVICES}/device=${encodeURIComponent(device)}/${action}`;
  const { instance_data } = await runAction(call, adapter, path, {});
  return outcomeOf({ device, ...outputOf(instance_data) });
}

/**
 * Runs an action on a list of devices; one that the orchestrator does not answer for is left out.
 *
 * @param adapter name of the adapter
 * @param devices names of devices in the orchestrator
 * @returns one outcome for each device that the response contains; empty for no names
 * @throws ServiceError as runAction
 */
export async function actOnDevices(
  call: DeviceContext,
  adapter: string,
  devices: readonly string[],
  action: 'sync-from' | 'check-sync',
): Promise<DeviceOutcome[]> {
  // Without names the orchestrator would take all of its devices.
  if (devices.length === 0) return [];
  const body = { 'tailf-ncs:input': { device: devices } };
  const { instance_data } = await runAction(call, adapter, `${DEVICES}/${action}`, body);
  const results = outputOf(instance_data)['sync-result'];
  return (Array.isArray(results) ? results : []).filter(isObject).map(outcomeOf);
}

const outcomeOf = ({ device, result, info, ...more }: Readonly<Record<string, unknown>>) => ({
  ...more,
  device: String(device),
  result: result === true || result === 'true' ? true : result === false ? false : String(result ?? ''),
  info: typeof info === 'string' ? info : '',
});

/** Returns the output of an action: the fields of the single object in the response, whichever module it is named after. */
function outputOf(answer: unknown): Readonly<Record<string, unknown>> {
  const [output] = isObject(answer) ? Object.values(answer) : [];
  return isObject(output) ? output : {};
}
