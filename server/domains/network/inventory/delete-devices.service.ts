import { and, desc, ne } from 'drizzle-orm';
import { remove } from '#db/collection.ts';
import { deviceOrigins } from '#db/device-origins.ts';
import { isOneOf } from '#db/expressions.ts';
import type { DeletedDevice } from '#db/schemas/network/gateway-host.ts';
import { gatewayHosts } from '#db/tables/network/gateway.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { nodesWithDevices } from './tree-nodes-of-devices.service.ts';

/** Nodes of one device that its outcome names. */
const NAMED = 10;

/**
 * Deletes devices from the inventory, whether they are reached by a command line or by gRPC, independently of each other
 * (contract/lifecycle#delete-devices).
 *
 * @param names names of devices; one that is repeated counts once
 * @param force delete even devices that are on nodes of trees
 * @returns the outcome of each name, in their order; a device that stays says why
 */
export async function deleteDevices(
  ctx: WriteContext,
  names: readonly string[],
  force: boolean,
): Promise<DeletedDevice[]> {
  const { db } = ctx;
  const wanted = [...new Set(names)];
  const { id, name, kind } = gatewayHosts;
  // A host of the http inventory is no device.
  const isWanted = and(isOneOf(name, wanted), ne(kind, 'http'));
  const hosts = await db.select({ id, name }).from(gatewayHosts).where(isWanted).orderBy(id).for('update');
  const found = new Set(hosts.map((host) => host.name));
  const places = force ? new Map() : await placesOf(ctx, [...found]);
  const removed = hosts.filter((host) => !places.has(host.name));
  await remove(
    db,
    gatewayHosts,
    removed.map((host) => host.id),
  );
  const isRemoved = new Set(removed.map((host) => host.name));
  const reporters = await reportersOf(
    ctx,
    wanted.filter((one) => !found.has(one)),
  );
  return wanted.map((one) => {
    if (isRemoved.has(one)) return { name: one, success: true, message: `Deleted ${one}.` };
    const nodes = places.get(one);
    const reporter = reporters.get(one);
    const message = nodes
      ? `Device ${one} is assigned to ${nodes}: remove it there, or send force=true`
      : reporter === undefined
        ? `Device ${one} not found.`
        : `Only ${reporter} reports ${one}: delete it there`;
    return { name: one, success: false, message };
  });
}

/** Returns the nodes of the devices that are on one, by device. */
async function placesOf(ctx: WriteContext, names: readonly string[]): Promise<Map<string, string>> {
  const places = new Map<string, string>();
  // Most devices that are deleted together are on no node: then one question is enough.
  if ((await nodesWithDevices(ctx, names)).length === 0) return places;
  for (const name of names) {
    const nodes = await nodesWithDevices(ctx, [name]);
    if (nodes.length > 0) places.set(name, nodes.slice(0, NAMED).join(', '));
  }
  return places;
}

/** Returns what reports devices that the inventory does not have, by device. */
async function reportersOf({ db }: WriteContext, names: readonly string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const { name, origin, rank } = deviceOrigins;
  const found = await db
    .select({ name, origin })
    .from(deviceOrigins)
    .where(isOneOf(name, names))
    // The origin that requests go to is the last one, which stays in the map.
    .orderBy(desc(rank));
  return new Map(found.map((one) => [one.name, one.origin]));
}
