import { type SQL, sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { rows } from '#db/client.ts';
import { find, findText, insert, replace, type Stored } from '#db/collection.ts';
import { list } from '#db/list/list.ts';
import { defineResource } from '#db/list/resource.ts';
import { textArray } from '#db/list/row-expressions.ts';
import { DeviceGroup, type GroupUpdate, type ImportedGroup } from '#db/schemas/network/device.ts';
import { deviceGroups } from '#db/tables/gateway.ts';
import {
  assertConsistent,
  assertKnownOrKept,
  assertMayWrite,
  unknownInGbac,
  withoutUnknownGroups,
} from '#server/domains/identity/index.ts';
import {
  accessOf,
  allOf,
  makerOf,
  type Reading,
  readSearchAt,
  unlessTaken,
  type Writing,
} from '#server/kernel/documents/documents.service.ts';
import { keptWith, landAll } from '#server/kernel/documents/import-placement.service.ts';
import { compilePattern } from '#server/kernel/documents/list-filter.ts';
import { wholeGbac } from '#server/kernel/documents/new-document.ts';
import { against, assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { grownStamp } from '#server/kernel/documents/stamps.ts';
import { conflict, notFound } from '#server/kernel/errors.ts';
import { json } from '#server/kernel/json-text.ts';
import { assertNone, issue, issuesIn } from '#server/kernel/validation/document-issues.ts';
import { deviceNames, newGroup } from './device-documents.ts';
import { unknownDevices } from './devices.service.ts';

const KIND = 'Device group';

const resource = defineResource({
  name: 'device groups',
  schema: DeviceGroup,
  source: deviceGroups,
  columns: { name: deviceGroups.name },
  defaultSort: [{ field: 'name', order: 1 }],
});

/** Largest page of a search (contract/lifecycle#4.2). */
const MOST = 100;

/** Every device group that the caller may see, by name; those of one device when it is named (contract/lifecycle#4.2). */
export async function listGroups({ db, principal }: Reading, device?: string): Promise<DeviceGroup[]> {
  const holds = device === undefined ? undefined : sql`doc -> 'devices' ? ${device}`;
  const found = await rows<{ doc: string }>(
    db,
    sql`select doc::text as doc from ${deviceGroups}
        where ${allOf(sql`true`, holds, mayRead(deviceGroups, principal))} order by name, id`,
  );
  return json(`[${found.map(({ doc }) => doc).join(',')}]`);
}

/** A group by its id, or else by its name (contract/lifecycle#4.2). @throws ServiceError NOT_FOUND */
export async function getGroup({ db, principal }: Reading, key: string): Promise<DeviceGroup> {
  const text = await findText(db, deviceGroups, oneGroup(key, mayRead(deviceGroups, principal)));
  if (text === undefined) throw notFound(KIND, key);
  return json(text);
}

/** A name may look like an id: then the group with that id is meant. */
const oneGroup = (key: string, visible: SQL | undefined): SQL =>
  allOf(
    sql`(${deviceGroups.id} = ${key} or (${deviceGroups.name} = ${key}
      and not exists (select from ${deviceGroups} as other where other.id = ${key})))`,
    visible,
  );

/** What a search for device groups may ask. */
export type GroupSearch = {
  query?: { name?: string | undefined } | undefined;
  options?: ({ filter?: { name?: string | undefined } | undefined } & Record<string, unknown>) | undefined;
};

/** Search for groups by substrings of their names, or expressions (contract/lifecycle#4.2). */
export async function searchGroups(
  { db, principal }: Reading,
  { query: { name } = {}, options: { filter = {}, ...options } = {} }: GroupSearch,
): Promise<{ list: DeviceGroup[]; total: number }> {
  const asked = readSearchAt(
    resource,
    { ...options, filter: { name: filter.name ?? name } },
    { pattern: compilePattern, most: MOST },
  );
  const { texts, total } = await list(db, resource, asked, accessOf(mayRead(deviceGroups, principal)));
  return json(`{"list":[${texts.join(',')}],"total":${total}}`);
}

/** A group that was written, and names in it that no device has: they are kept all the same (contract/lifecycle#4.2). */
export type WrittenGroup = { group: DeviceGroup; warnings: string[] };

/** A new device group (contract/lifecycle#4.2). @throws ServiceError CONFLICT when the name is taken */
export async function createGroup(
  ctx: Writing,
  { name, description, devices }: { name: string; description: string; devices: string | readonly string[] },
): Promise<WrittenGroup> {
  const names = deviceNames(devices);
  assertLengths(names, ['deviceNames']);
  const group = newGroup({ name, description, devices: names }, makerOf(ctx));
  await unlessTaken('device_groups_name', taken(name), () => insert(ctx.db, deviceGroups, group.id, group));
  return { group, warnings: await unknownDevices(ctx, names) };
}

/**
 * Change a device group; `devices` replaces the whole list (contract/lifecycle#4.2).
 *
 * @throws ServiceError NOT_FOUND, FORBIDDEN, CONFLICT when the name is taken
 */
export async function updateGroup(
  ctx: Writing,
  key: string,
  { name, devices, description, gbac }: GroupUpdate,
): Promise<WrittenGroup> {
  assertConsistent(gbac ?? undefined, ['details', 'gbac']);
  const unknown = await unknownInGbac(ctx.db, gbac, ['details', 'gbac']);
  const names = devices ? deviceNames(devices) : undefined;
  assertLengths(names ?? [], ['details', 'devices']);
  const change = {
    ...(name && { name }),
    ...(names && { devices: names }),
    ...(typeof description === 'string' && { description }),
    ...(gbac && { gbac: wholeGbac(gbac) }),
  };
  const stored = await lockGroup(ctx, key, change);
  assertKnownOrKept(unknown, gbac, stored.doc.gbac);
  const group = await writeGroup(ctx, stored, change);
  return { group, warnings: names ? await unknownDevices(ctx, names) : [] };
}

/**
 * Put devices into a group; those that it has already stay (contract/lifecycle#4.2). @throws ServiceError as `updateGroup`
 */
export async function addGroupDevices(ctx: Writing, key: string, devices: string[]): Promise<WrittenGroup> {
  const names = deviceNames(devices);
  const stored = await lockGroup(ctx, key);
  const all = [...new Set([...stored.doc.devices, ...names])];
  return {
    group: await writeGroup(ctx, stored, { devices: all }),
    warnings: await unknownDevices(ctx, names),
  };
}

/** Take devices out of a group; those that it has not count for nothing (contract/lifecycle#4.2). */
export async function removeGroupDevices(ctx: Writing, key: string, devices: string[]): Promise<DeviceGroup> {
  const gone = new Set(deviceNames(devices));
  const stored = await lockGroup(ctx, key);
  return writeGroup(ctx, stored, { devices: stored.doc.devices.filter((name) => !gone.has(name)) });
}

/**
 * Import device groups, all or none: a taken name gets a number, a taken id is made anew (contract/lifecycle#4.2, #0.7).
 *
 * @returns what each became, in their order, and groups of access lists that do not exist
 * @throws ServiceError BAD_REQUEST
 */
export async function importGroups(ctx: Writing, given: readonly ImportedGroup[]) {
  assertNone(given.flatMap(({ gbac }, at) => issuesIn(() => assertConsistent(gbac, ['groups', at, 'gbac']))));
  const maker = makerOf(ctx);
  const landing = { table: deviceGroups, names: 'device_groups_name', kind: 'A group' };
  const { documents, warnings } = await withoutUnknownGroups(ctx.db, given);
  const data = await landAll(
    ctx.db,
    landing,
    documents,
    (group, { id, name }): DeviceGroup => ({
      ...group,
      ...newGroup(
        { description: group.description ?? '', devices: deviceNames(group.devices ?? []), name },
        { ...maker, newId: () => id },
      ),
      ...keptWith(group, maker.now),
    }),
  );
  return { data, warnings };
}

/**
 * Refuse ids of device groups that there are none of, or that the caller may not see; the others are not deleted before
 * the transaction ends.
 *
 * @throws ServiceError BAD_REQUEST
 */
export async function holdGroups({ db, principal }: Reading, ids: readonly string[]): Promise<void> {
  const found = await rows<{ id: string }>(
    db,
    sql`select id from ${deviceGroups}
        where ${allOf(sql`id = any(${textArray(ids)})`, mayRead(deviceGroups, principal))} order by id for key share`,
  );
  const known = new Set(found.map(({ id }) => id));
  assertNone(
    ids.flatMap((id, at) =>
      known.has(id) ? [] : [issue(['deviceGroups', at], `no device group has the id ${id}`, 'unknown_group')],
    ),
  );
}

async function lockGroup(
  ctx: Writing,
  key: string,
  change: Partial<DeviceGroup> = {},
): Promise<Stored<DeviceGroup>> {
  const { db, principal, request } = ctx;
  const stored = await find(db, deviceGroups, oneGroup(key, mayRead(deviceGroups, principal)), true);
  if (!stored) throw notFound(KIND, key);
  assertMayWrite(stored.doc.gbac, principal, `Device group ${stored.doc.name}`);
  const what = `Device group ${stored.doc.name}`;
  assertUnchanged(request.ifMatch, stored.doc.updated, what, against(stored.doc, change));
  return stored;
}

async function writeGroup(
  ctx: Writing,
  stored: Stored<DeviceGroup>,
  change: Partial<DeviceGroup>,
): Promise<DeviceGroup> {
  const group: DeviceGroup = {
    ...stored.doc,
    ...change,
    updated: grownStamp(ctx.platform.now(), stored.doc.updated),
    lastUpdatedBy: ctx.principal.id,
  };
  const written = await unlessTaken('device_groups_name', taken(group.name), () =>
    replace(ctx.db, deviceGroups, stored, group),
  );
  if (!written) throw conflict(`Device group ${stored.doc.name} was changed meanwhile`);
  return group;
}

/** Devices have names of at most 255 characters, in every inventory. */
function assertLengths(names: readonly string[], path: string[]) {
  const at = names.findIndex((name) => name.length > 255);
  if (at >= 0) assertNone([issue([...path, at], 'must have at most 255 characters', 'too_big')]);
}

const taken = (name: string) => `A device group with the name ${name} already exists`;
