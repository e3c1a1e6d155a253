import type { TextLookup } from '#db/schemas/requests/config-spec.ts';
import { restQuery, runOnHost } from '#server/domains/network/index.ts';
import type { DeviceContext } from '#server/kernel/contexts.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { shownConfiguration } from '../backups/shown-configuration.ts';
import { lookupDiff } from '../specs/lookup-diff.service.ts';
import { configIn } from './config-text.ts';
import { callOptionsOf, deviceFault, type Origin, originOf, unsupportedBy } from './origin.service.ts';

/**
 * Returns the current configuration of a device (contract/lifecycle#4.1): its text output, or the JSON that its
 * orchestrator has. Every caller who may read the device may read it; secrets in it are masked where an admin
 * decided so (decision 0112).
 *
 * @throws ServiceError NOT_FOUND; UNPROCESSABLE_CONTENT where the origin does not support it; CONFLICT when the adapter is
 *   stopped; BAD_GATEWAY, also for an empty configuration; GATEWAY_TIMEOUT
 */
export async function readConfiguration(call: DeviceContext, name: string) {
  const text = await configurationOf(call, await originOf(call, name));
  return { device: name, config: await shownConfiguration(call.principal, text) };
}

/**
 * Compares a stored text with another, or with a device's current one.
 *
 * @returns the differences in the order of the texts
 * @throws ServiceError as lookupDiff, readConfiguration
 */
export const diffWithLive = (call: DeviceContext, lookup: TextLookup) =>
  lookupDiff(call, async (name) => (await readConfiguration(call, name)).config, lookup);

/** Returns the current configuration of a device whose origin is known. @throws ServiceError as readConfiguration */
export async function configurationOf(call: DeviceContext, origin: Origin): Promise<string> {
  const { device, via } = origin;
  if (via === 'grpc' || (via === 'cli' && !origin.config))
    throw unsupportedBy(origin, 'read the configuration');
  const config = await READ[via](call, origin);
  if (config === '') throw deviceFault(device.name, 'EMPTY_CONFIGURATION', 'the configuration is empty');
  return config;
}

/** Reads a configuration from a kind of origin that has one. */
const READ: Record<
  Exclude<Origin['via'], 'grpc'>,
  (call: DeviceContext, origin: Origin) => Promise<string>
> = {
  cli: (call, origin) => shownBy(call, origin),
  orchestrator: (call, origin) => orchestratorConfigOf(call, origin),
  adapter: async ({ platform }, { device, adapter }) =>
    textIn(await platform.callForDevice(adapter, 'getConfig', device.name)),
};

/** Returns the configuration in the answer of a package's `getConfig`; what is no text, as indented JSON. */
function textIn(answer: unknown): string {
  if (typeof answer === 'string') return answer;
  if (isObject(answer)) {
    const inner = [answer.response, answer.config].find((one) => one !== undefined && one !== null);
    if (inner !== undefined) return textIn(inner);
  }
  return answer === null || answer === undefined ? '' : `${JSON.stringify(answer, null, 2)}\n`;
}

async function shownBy(call: DeviceContext, { device: { name }, config }: Origin): Promise<string> {
  const { show = '', noise } = config ?? {};
  const { result } = await runOnHost({ ...call, reads: true }, name, [show], callOptionsOf(call));
  const [shown] = result;
  if (shown?.status !== 'success') {
    const said = shown?.failed_when ?? 'nothing';
    throw deviceFault(name, 'COMMAND_REFUSED', `"${show}" is rejected: ${said}`, { partial: result });
  }
  if (shown.truncated) throw deviceFault(name, 'TOO_LONG', 'the configuration is longer than the limit');
  return configIn(shown.output, noise);
}

/** Returns the configuration that the orchestrator has, as indented JSON. */
async function orchestratorConfigOf(call: DeviceContext, { device, adapter }: Origin): Promise<string> {
  const { instance_data: kept } = await restQuery(call, adapter, {
    path: `/restconf/data/tailf-ncs:devices/device=${encodeURIComponent(device.name)}/config?content=config`,
    accept: 'application/yang-data+json',
  });
  const isEmpty = typeof kept === 'object' && kept !== null && Object.keys(kept).length === 0;
  return isEmpty ? '' : `${JSON.stringify(kept, null, 2)}\n`;
}
