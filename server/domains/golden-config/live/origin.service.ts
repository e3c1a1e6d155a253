import type { Database } from '#db/client.ts';
import type { Device } from '#db/schemas/network/device.ts';
import { ServiceError, unprocessable } from '#server/kernel/errors.ts';
import type { Platform } from '#server/kernel/platform.ts';
import type { Caller } from '#server/kernel/principal.ts';
import type { Configuring } from '#server/platforms/record/driver-data.ts';
import { getDevice } from '../devices/devices.service.ts';

/** The part of a request's context that speaking with a device touches; `db` is no transaction. */
export type LiveContext = {
  db: Database;
  principal: Caller;
  platform: Pick<
    Platform,
    'access' | 'cli' | 'gnoi' | 'orchestrator' | 'vault' | 'config' | 'log' | 'logOf' | 'now'
  >;
  request: { id: string; gone: () => AbortSignal };
};

/** A device, and who speaks with it. */
export type Origin = {
  device: Device;
  via: 'cli' | 'grpc' | 'orchestrator';
  /** Name of the adapter that is asked. */
  adapter: string;
  /** How it is configured over the cli; null where that is not known. */
  config: Configuring | null;
};

/** The device of a name with the first of its origins (contract/lifecycle#4.1). @throws ServiceError NOT_FOUND */
export async function originOf(call: LiveContext, name: string): Promise<Origin> {
  const device = (await getDevice(call, name)).parse();
  const kind = device['device-type'];
  const driver = call.platform.cli.drivers.find((one) => one.device_type === device.device_type);
  return {
    device,
    via: kind === 'orchestrator' ? 'orchestrator' : kind === 'gnoi' ? 'grpc' : 'cli',
    adapter: device.origin ?? '',
    config: driver?.config ?? null,
  };
}

/** Where a host is asked, and for how long. */
export const callOptionsOf = ({ request }: LiveContext) => ({
  signal: request.gone(),
  requestId: request.id,
});

/** 422: nobody who reports the device can do that. */
export const cannot = ({ device, via }: Origin, what: string) =>
  unprocessable(
    via === 'cli'
      ? `How ${what} on a device of the device_type ${String(device.device_type) || '(none)'} is not known: ${device.name}`
      : `The origin of device ${device.name}, ${device.origin}, has no way to ${what}`,
  );

/** 502: the device was reached, and did not do what it was told. */
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
