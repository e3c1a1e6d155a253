import { sql } from 'drizzle-orm';
import { type Database, inTransaction, rows } from '#db/client.ts';
import { newId } from '#db/ids.ts';
import type { Device } from '#db/schemas/network/device.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { isStorable } from '#server/kernel/validation/input-sanity.ts';
import type { KnownDevice } from '#server/southbound/orchestrator/ports.ts';
import { parserOf } from './platform.ts';
import { getAdapterRow } from './rows.service.ts';
import { callAndRecord, orchestratorNamed } from './targets.service.ts';

/** Interval between automatic readings of an orchestrator's devices, in seconds (contract/lifecycle#11). */
const EVERY_S = 15 * 60;

/** Counts of an adapter's devices after a sync. */
export type SyncResult = { added: number; removed: number; unchanged: number; changed: number };

/**
 * Reads the devices of an orchestrator and stores them with the adapter as their origin (contract/lifecycle#11). No
 * transaction is open while the orchestrator responds.
 *
 * @throws ServiceError NOT_FOUND; BAD_REQUEST for another model; CONFLICT when the adapter is stopped; BAD_GATEWAY and
 *   GATEWAY_TIMEOUT, which leave the stored devices unchanged
 */
export async function syncAdapter(call: SystemContext, name: string) {
  const row = await orchestratorNamed(call, name, ['name']);
  const found = await callAndRecord(call, row, (target) => call.platform.orchestrator.listDevices(target));
  const data = await inTransaction(call.db, (tx) => storeDevices(tx, name, found, 'orchestrator'));
  const total = data.added + data.changed + data.unchanged;
  return { status: 'success' as const, message: `${name} reports ${total} devices`, data };
}

/**
 * Syncs every running orchestrator that was not read for 15 minutes, and each that failed, up to the number of retries
 * in the profile; after that, it is retried at the normal interval. Only one of several processes syncs an adapter.
 */
export async function syncDue(call: SystemContext): Promise<void> {
  const { most } = await call.platform.retries();
  const due = await rows<{ id: string }>(
    call.db,
    sql`update adapters set synced_at = clock_timestamp()
        where active and doc #>> '{properties,type}' = 'Orchestrator'
          and (synced_at is null or synced_at < clock_timestamp() - make_interval(secs => ${EVERY_S})
            or (online = false and failed between 1 and ${most}))
        returning id`,
  );
  for (const { id } of due) {
    await syncAdapter(call, id).catch((err: unknown) => {
      const level = err instanceof ServiceError ? 'info' : 'error';
      call.platform.logOf('adapter', id)[level]({ err }, 'the devices of the adapter could not be read');
    });
  }
}

/** Maximum length of a name in nodes and groups. */
const LONGEST = 255;

/** The system that reports the devices of an adapter: an orchestrator, or the package of the adapter. */
type AdapterKind = 'orchestrator' | 'adapter';

/**
 * Replaces the stored devices of an adapter with the reported ones.
 *
 * @returns their counts
 * @throws ServiceError NOT_FOUND for the adapter
 */
export async function storeDevices(
  tx: Database,
  adapter: string,
  found: readonly KnownDevice[],
  kind: AdapterKind,
): Promise<SyncResult> {
  // Locked, because two concurrent syncs would each count the other's devices as their own.
  await getAdapterRow(tx, adapter, true);
  const given = found
    .filter(
      (device) =>
        device.name.length <= LONGEST &&
        ![...device.name].some((sign) => sign < ' ' || sign === '\u007f') &&
        isStorable(device),
    )
    .map((device) => ({ id: newId(), name: device.name, doc: deviceOf(adapter, device, kind) }));
  const [counts] = await rows<Omit<SyncResult, 'unchanged'>>(
    tx,
    sql`with given as materialized (
          select * from jsonb_to_recordset(${JSON.stringify(given)}::text::jsonb) as one(id text, name text, doc jsonb)
        ), gone as (
          delete from adapter_devices where adapter = ${adapter} and name not in (select name from given) returning id
        ), kept as (
          insert into adapter_devices (id, adapter, doc) select id, ${adapter}, doc from given
          on conflict (adapter, name) do update
            set doc = excluded.doc, rev = adapter_devices.rev + 1, updated_at = now()
            where adapter_devices.doc <> excluded.doc
          returning xmax = 0 as fresh
        ), stamped as (update adapters set synced_at = clock_timestamp() where id = ${adapter})
        select (select count(*)::int from gone) as removed,
          (select count(*)::int from kept where fresh) as added,
          (select count(*)::int from kept where not fresh) as changed`,
  );
  const { added = 0, removed = 0, changed = 0 } = counts ?? {};
  return { added, removed, changed, unchanged: given.length - added - changed };
}

/** Converts an orchestrator's device to a device of the platform (contract/lifecycle#4.1). */
function deviceOf(
  adapter: string,
  { name, address, port, nedId, platform }: KnownDevice,
  kind: AdapterKind,
): Device {
  const ostype = parserOf({ nedId, platform });
  return {
    name,
    host: address,
    ipaddress: address,
    ...(port !== null && { port }),
    ostype,
    deviceType: ostype,
    'device-type': kind,
    device_type: '',
    tags: [],
    actions: kind === 'orchestrator' ? ['getConfig', 'checkSync', 'isAlive'] : ['getConfig', 'isAlive'],
    ...(nedId && { nedId }),
    ...(platform && { platform }),
    origin: adapter,
    chosenAdapter: adapter,
    status: 'UNKNOWN',
  };
}
