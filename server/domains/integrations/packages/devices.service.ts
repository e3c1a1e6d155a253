import { eq } from 'drizzle-orm';
import { inTransaction } from '#db/client.ts';
import { adapters } from '#db/tables/integrations/adapters.ts';
import { type AdapterRow, readAdapters, storeDevices, syncAdapter } from '#server/domains/network/index.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import { conflict, invalid, ServiceError } from '#server/kernel/errors.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { packageInstance } from './call-package.service.ts';
import { devicesIn, totalIn } from './device-page.ts';
import { findPackage } from './packages.service.ts';

/** Devices per page, and most devices of one adapter. */
const PAGE = 100;
const MOST = 100_000;

/**
 * Reads the devices of an adapter and stores them with it as their origin: of an orchestrator, or of a package that is a
 * source of devices (contract/lifecycle#11).
 *
 * @throws ServiceError NOT_FOUND; BAD_REQUEST for an adapter that has no devices; CONFLICT when it is stopped; BAD_GATEWAY
 *   and GATEWAY_TIMEOUT, which leave the stored devices unchanged
 */
export async function syncAnyAdapter(call: SystemContext, name: string) {
  const [row] = await readAdapters(call.db, eq(adapters.id, name));
  const found = row && (await findPackage(call.db, row.doc.properties.type));
  if (!row || !found) return syncAdapter(call, name);
  if (!found.brokers.includes('getDevicesFiltered') || !row.doc.properties.brokers?.includes('device')) {
    throw invalid(
      ['name'],
      `${name} is no source of devices: its package needs getDevicesFiltered, and its brokers must hold device`,
    );
  }
  const devices = await devicesOf(call, row);
  const data = await inTransaction(call.db, (tx) => storeDevices(tx, name, devices, 'adapter'));
  const total = data.added + data.changed + data.unchanged;
  return { status: 'success' as const, message: `${name} reports ${total} devices`, data };
}

async function devicesOf({ db, platform }: SystemContext, { id }: AdapterRow) {
  const instance = await packageInstance({ db, platform }, id);
  const devices = new Map<string, ReturnType<typeof devicesIn>[number]>();
  for (let start = 0; start < MOST; start += PAGE) {
    const outcome = await platform.packages.call({
      ...instance,
      method: 'getDevicesFiltered',
      args: [{ start, limit: PAGE, filter: {} }],
    });
    const page = pageOf(id, outcome);
    const found = devicesIn(page);
    const before = devices.size;
    for (const device of found) devices.set(device.name, device);
    // A package that knows no pages returns the same list again.
    if (found.length < PAGE || devices.size >= totalIn(page) || devices.size === before) break;
  }
  return [...devices.values()];
}

function pageOf(
  adapter: string,
  outcome: Awaited<ReturnType<SystemContext['platform']['packages']['call']>>,
): unknown {
  if ('data' in outcome) return outcome.data;
  if ('failure' in outcome) {
    const { reason, message, begun } = outcome.failure;
    const code = reason === 'CALL_TIMEOUT' ? 'GATEWAY_TIMEOUT' : 'BAD_GATEWAY';
    throw new ServiceError(code, message, {
      extra: { reason, stage: begun ? 'call' : 'start', retryable: true },
    });
  }
  const { error } = outcome;
  const about = isObject(error) && isObject(error.IAPerror) ? error.IAPerror.displayString : undefined;
  throw new ServiceError(
    'BAD_GATEWAY',
    `${adapter}: ${typeof about === 'string' ? about : 'it reports an error'}`,
    {
      extra: { reason: 'ADAPTER_ERROR', stage: 'call', retryable: true },
    },
  );
}

/** Methods for one device that an adapter of a package may have. */
export type DeviceMethod = 'isAlive' | 'getConfig';

/**
 * Calls a method of a package for one of its devices.
 *
 * @param adapter name of the adapter
 * @param device name of the device, as the package lists it
 * @returns the result of the method, of any shape
 * @throws ServiceError CONFLICT when the package has no such method, otherwise as syncAnyAdapter
 */
export async function callForDevice(
  { db, platform }: SystemContext,
  adapter: string,
  method: DeviceMethod,
  device: string,
): Promise<unknown> {
  const instance = await packageInstance({ db, platform }, adapter);
  const found = await findPackage(db, instance.package.type);
  if (!found?.brokers.includes(method)) throw conflict(`The package of ${adapter} has no method ${method}`);
  const args = method === 'getConfig' ? [device, undefined] : [device];
  return pageOf(adapter, await platform.packages.call({ ...instance, method, args }));
}
