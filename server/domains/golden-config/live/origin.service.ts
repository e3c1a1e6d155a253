import { and, eq } from 'drizzle-orm';
import { deviceOrigins } from '#db/device-origins.ts';
import type { Device } from '#db/schemas/network/device.ts';
import type { DeviceContext } from '#server/kernel/contexts.ts';
import { ServiceError, unprocessable } from '#server/kernel/errors.ts';
import type { Configuring } from '#server/platforms/record/driver-data.ts';
import { getDevice } from '../devices/devices.service.ts';

/** A device, and the connection that reaches it. */
export type Origin = {
  device: Device;
  via: 'cli' | 'grpc' | 'orchestrator' | 'adapter';
  /** Name of the adapter that handles the calls. */
  adapter: string;
  /** How it is configured over the CLI; null where that is unknown. */
  config: Configuring | null;
  /** Its platform; empty where that is unknown. */
  ostype: string;
};

/** Connections by the `device-type` of devices; the others are reached over the CLI. */
const VIA: ReadonlyMap<string, Origin['via']> = new Map([
  ['orchestrator', 'orchestrator'],
  ['adapter', 'adapter'],
  ['gnoi', 'grpc'],
]);

/** Returns the device of a name with the first of its origins (contract/lifecycle#4.1). @throws ServiceError NOT_FOUND */
export async function originOf(call: DeviceContext, name: string): Promise<Origin> {
  const device = (await getDevice(call, name)).parse();
  const kind = device['device-type'];
  const driver = call.platform.cli.drivers.find((one) => one.device_type === device.device_type);
  return {
    device,
    via: VIA.get(kind ?? '') ?? 'cli',
    adapter: device.origin ?? '',
    config: driver?.config ?? null,
    ostype: driver?.ostype ?? '',
  };
}

/** Returns the groups that may read a device through its origin, as they are now; empty: all who have the role. */
export async function readersOf(
  { db }: Pick<DeviceContext, 'db'>,
  { device, adapter }: Pick<Origin, 'device' | 'adapter'>,
): Promise<string[]> {
  const [found] = await db
    .select({ groups: deviceOrigins.readGroups })
    .from(deviceOrigins)
    .where(and(eq(deviceOrigins.name, device.name), eq(deviceOrigins.origin, adapter)))
    .orderBy(deviceOrigins.rank)
    .limit(1);
  return (found?.groups as string[] | null | undefined) ?? [];
}

/** Returns the abort signal and the request id for calls to a host. */
export const callOptionsOf = ({ request }: DeviceContext) => ({
  signal: request.gone(),
  requestId: request.id,
});

/** Returns the 422 error for an operation that the device's origin does not support. */
export const unsupportedBy = ({ device, via }: Origin, what: string) =>
  unprocessable(
    via === 'cli'
      ? `Cannot ${what}: no command is known for the device_type ${String(device.device_type) || '(none)'} of device ${device.name}`
      : `Cannot ${what}: the origin of device ${device.name}, ${device.origin}, does not support it`,
  );

/** Returns the 502 error for a device that was reached but did not do what was requested. */
export const deviceFault = (
  host: string,
  reason: string,
  message: string,
  { data, ...more }: { data?: unknown } & Record<string, unknown> = {},
) =>
  new ServiceError('BAD_GATEWAY', `${host}: ${message}`, {
    ...(data !== undefined && { data }),
    extra: { ...more, reason, host, stage: 'command', retryable: false },
  });
