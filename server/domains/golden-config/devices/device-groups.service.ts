import { and, sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { rows } from '#db/client.ts';
import type { Stored } from '#db/collection.ts';
import { groupMembers } from '#db/device-origins.ts';
import { isOneOf } from '#db/expressions.ts';
import { list } from '#db/list/list.ts';
import { defineResource } from '#db/list/resource.ts';
import { DeviceGroup, type GroupUpdate, type ImportedGroup } from '#db/schemas/network/device.ts';
import type { Selection } from '#db/schemas/network/selection.ts';
import type { GroupSearch } from '#db/schemas/requests/configuration-search.ts';
import { deviceGroups } from '#db/tables/network/gateway.ts';
import {
  assertConsistent,
  assertMayChange,
  importDocuments,
  insertDocument,
  updateDocument,
  writeDocument,
} from '#server/domains/identity/index.ts';
import { maySeeMember, storedSelectionIssues } from '#server/domains/network/index.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import {
  accessOf,
  findDocument,
  type Key,
  listDocuments,
  makerOf,
  readDocument,
  readSearchAt,
} from '#server/kernel/documents/documents.service.ts';
import { importedFields } from '#server/kernel/documents/import-placement.service.ts';
import { compilePattern } from '#server/kernel/documents/list-filter.ts';
import { wholeGbac } from '#server/kernel/documents/new-document.ts';
import { conflict } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { assertNone, issue, issuesIn } from '#server/kernel/validation/document-issues.ts';
import { deviceNames, newGroup } from './device-documents.ts';
import { unknownDevices } from './devices.service.ts';

const resource = defineResource({
  name: 'device groups',
  schema: DeviceGroup,
  source: deviceGroups,
  columns: { name: deviceGroups.name },
  defaultSort: [{ field: 'name', order: 1 }],
});

/** Maximum page size of a search (contract/lifecycle#4.2). */
const MOST = 100;

/**
 * Returns the device groups that the caller may see, by name; only those of `device` when it is given
 * (contract/lifecycle#4.2).
 */
export async function listGroups(ctx: ReadContext, device?: string): Promise<JsonText<DeviceGroup[]>> {
  const where =
    device === undefined
      ? undefined
      : sql`exists (select from device_group_members(doc) as device_group_members
          where ${groupMembers.name} = ${device} and ${maySeeMember(ctx.principal)})`;
  return json(await listDocuments(ctx, 'deviceGroup', { where, order: sql`name, id`, shown: shown(ctx) }));
}

/**
 * Returns a group by its id, or else by its name (contract/lifecycle#4.2).
 *
 * @param key id or name
 * @throws ServiceError NOT_FOUND
 */
export const getGroup = async (ctx: ReadContext, key: string): Promise<JsonText<DeviceGroup>> =>
  json(await shownText(ctx, await readDocument(ctx, 'deviceGroup', oneGroup(key))));

/** Returns a group as it is shown: the devices of one with a selection are those that it matches now. */
const shown = ({ principal }: ReadContext) => sql`case when jsonb_typeof(doc -> 'selection') = 'object'
  then doc || jsonb_build_object('devices', (
    select coalesce(jsonb_agg(distinct ${groupMembers.name}), '[]')
      from device_group_members(doc) as device_group_members
      where ${maySeeMember(principal)}))
  else doc end`;

/** Returns the stored text of a group as it is shown. */
async function shownText(ctx: ReadContext, text: string): Promise<string> {
  if (!text.includes('"selection"')) return text;
  const [found] = await rows<{ doc: string }>(
    ctx.db,
    sql`select (${shown(ctx)})::text as doc from (select ${text}::text::jsonb as doc) as given`,
  );
  return found?.doc ?? text;
}

/** Returns the condition for one group by id or name; a group with that id has priority over one with that name. */
const oneGroup = (key: string): Key => ({
  where: sql`(${deviceGroups.id} = ${key} or (${deviceGroups.name} = ${key}
      and not exists (select from ${deviceGroups} as other where other.id = ${key})))`,
  called: key,
});

/**
 * Searches for groups by substrings of their names, or regular expressions (contract/lifecycle#4.2).
 *
 * @returns a page of the groups that the caller may see, and the number of all that match
 * @throws ServiceError BAD_REQUEST with every issue of the search
 */
export async function searchGroups(
  ctx: ReadContext,
  { query: { name } = {}, options: { filter = {}, ...options } = {} }: GroupSearch,
): Promise<JsonText<{ list: DeviceGroup[]; total: number }>> {
  const search = readSearchAt(
    resource,
    { ...options, filter: { name: filter.name ?? name } },
    { pattern: compilePattern, most: MOST },
  );
  const { db, principal } = ctx;
  const found = await list(db, resource, search, accessOf(mayRead(deviceGroups, principal)));
  const { total } = found;
  const texts = await Promise.all(found.texts.map((text) => shownText(ctx, text)));
  return json(`{"list":[${texts.join(',')}],"total":${total}}`);
}

/** A group that was written, and its names without a device, which are stored all the same (contract/lifecycle#4.2). */
export type WrittenGroup = { group: DeviceGroup; warnings: string[] };

/**
 * Creates a device group (contract/lifecycle#4.2).
 *
 * @param devices names of devices: a list, or one text separated by commas; empty with a selection
 * @param selection chooses the devices instead of a list
 * @throws ServiceError BAD_REQUEST for a name that is too long, or a list beside a selection; CONFLICT when the name
 *   is taken
 */
export async function createGroup(
  ctx: WriteContext,
  {
    name,
    description,
    devices,
    selection,
  }: {
    name: string;
    description: string;
    devices: string | readonly string[];
    selection?: Selection | undefined;
  },
): Promise<WrittenGroup> {
  const names = deviceNames(devices);
  assertLengths(names, ['deviceNames']);
  if (selection) assertMayKeep(selection, names, []);
  const group = {
    ...newGroup({ name, description, devices: names }, makerOf(ctx)),
    ...(selection && { selection }),
  };
  await insertDocument(ctx, 'deviceGroup', group);
  return { group, warnings: await unknownDevices(ctx, names) };
}

/**
 * Updates a device group; `devices` replaces the whole list (contract/lifecycle#4.2).
 *
 * @param key id or name of the group
 * @throws ServiceError NOT_FOUND, FORBIDDEN, CONFLICT when the name is taken
 */
export async function updateGroup(
  ctx: WriteContext,
  key: string,
  { name, devices, selection, description, gbac }: GroupUpdate,
): Promise<WrittenGroup> {
  const names = devices ? deviceNames(devices) : await devicesAfterSelectionChange(ctx, key, selection);
  assertLengths(names ?? [], ['details', 'devices']);
  if (selection) assertMayKeep(selection, devices ? (names ?? []) : [], ['details']);
  else if (names && selection === undefined) assertListed(await lockGroup(ctx, key));
  const change = {
    ...(name && { name }),
    ...(names && { devices: names }),
    ...(selection !== undefined && { selection }),
    ...(typeof description === 'string' && { description }),
    ...(gbac && { gbac: wholeGbac(gbac) }),
  };
  const list = { gbac, path: ['details', 'gbac'] };
  const group = await updateDocument(ctx, 'deviceGroup', oneGroup(key), change, list);
  return { group, warnings: names ? await unknownDevices(ctx, names) : [] };
}

/**
 * Adds devices to a group; devices that it already has remain (contract/lifecycle#4.2).
 *
 * @param key id or name of the group
 * @param devices names of devices
 * @throws ServiceError as `updateGroup`; CONFLICT also for a group with a selection
 */
export async function addGroupDevices(
  ctx: WriteContext,
  key: string,
  devices: string[],
): Promise<WrittenGroup> {
  const names = deviceNames(devices);
  const stored = await lockGroup(ctx, key);
  assertListed(stored);
  const all = [...new Set([...stored.doc.devices, ...names])];
  return {
    group: await writeDocument(ctx, 'deviceGroup', stored, { devices: all }),
    warnings: await unknownDevices(ctx, names),
  };
}

/**
 * Removes devices from a group; ignores those that it does not have (contract/lifecycle#4.2).
 *
 * @param key id or name of the group
 * @param devices names of devices
 * @throws ServiceError NOT_FOUND, FORBIDDEN; CONFLICT for a group with a selection, or one that was changed in the
 *   meantime
 */
export async function removeGroupDevices(
  ctx: WriteContext,
  key: string,
  devices: string[],
): Promise<DeviceGroup> {
  const gone = new Set(deviceNames(devices));
  const stored = await lockGroup(ctx, key);
  assertListed(stored);
  return writeDocument(ctx, 'deviceGroup', stored, {
    devices: stored.doc.devices.filter((name) => !gone.has(name)),
  });
}

/**
 * Imports device groups, all or none: a taken name gets a number, a taken id is replaced by a new one
 * (contract/lifecycle#4.2, #0.7).
 *
 * @returns the stored name and id of each group, in their order, and the groups of access lists that do not exist
 * @throws ServiceError BAD_REQUEST
 */
export async function importGroups(ctx: WriteContext, given: readonly ImportedGroup[]) {
  assertNone(
    given.flatMap(({ gbac, selection }, at) => [
      ...issuesIn(() => assertConsistent(gbac, ['groups', at, 'gbac'])),
      ...(selection ? storedSelectionIssues(selection, ['groups', at, 'selection']) : []),
    ]),
  );
  const maker = makerOf(ctx);
  return importDocuments(
    ctx,
    'deviceGroup',
    given,
    (group, { id, name }): DeviceGroup => ({
      ...group,
      ...newGroup(
        {
          description: group.description ?? '',
          devices: group.selection ? [] : deviceNames(group.devices ?? []),
          name,
        },
        { ...maker, newId: () => id },
      ),
      ...importedFields(group, maker.now),
    }),
  );
}

/** Returns those of the ids whose device groups the caller may see, and locks these groups until the transaction ends. */
export async function lockVisibleDeviceGroups(
  { db, principal }: ReadContext,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = await db
    .select({ id: deviceGroups.id })
    .from(deviceGroups)
    .where(and(isOneOf(deviceGroups.id, ids), mayRead(deviceGroups, principal)))
    .orderBy(deviceGroups.id)
    .for('key share');
  return new Set(found.map(({ id }) => id));
}

/** Rejects ids of device groups that do not exist, or that the caller may not see. @throws ServiceError BAD_REQUEST */
export async function holdGroups(ctx: ReadContext, ids: readonly string[]): Promise<void> {
  const known = await lockVisibleDeviceGroups(ctx, ids);
  assertNone(
    ids.flatMap((id, at) =>
      known.has(id) ? [] : [issue(['deviceGroups', at], `no device group has the id ${id}`, 'unknown_group')],
    ),
  );
}

/** Rejects changes to the list of a group that has a selection instead. @throws ServiceError CONFLICT */
function assertListed({ doc: { name, selection } }: Stored<DeviceGroup>): void {
  if (selection)
    throw conflict(`Device group ${name} has a selection: change the selection, or send null for it first`);
}

/** Rejects a selection that a group cannot keep, beside a list or with groups of its own. @throws ServiceError BAD_REQUEST */
function assertMayKeep(selection: Selection, listed: readonly string[], path: string[]): void {
  assertNone([
    ...storedSelectionIssues(selection, [...path, 'selection']),
    ...(listed.length > 0
      ? [
          issue(
            [...path, 'selection'],
            'cannot be combined with devices: a group lists its devices or selects them',
          ),
        ]
      : []),
  ]);
}

/** Returns the devices of a group when its selection ends (they stay as its list) or begins (it lists none). */
async function devicesAfterSelectionChange(
  ctx: WriteContext,
  key: string,
  selection: Selection | null | undefined,
): Promise<string[] | undefined> {
  if (selection === undefined) return undefined;
  if (selection) return [];
  const { doc } = await lockGroup(ctx, key);
  const text = await shownText(ctx, JSON.stringify(doc));
  return (JSON.parse(text) as DeviceGroup).devices;
}

async function lockGroup(ctx: WriteContext, key: string): Promise<Stored<DeviceGroup>> {
  const stored = await findDocument(ctx, 'deviceGroup', oneGroup(key), true);
  assertMayChange(ctx, 'deviceGroup', stored, {});
  return stored;
}

/** Rejects device names longer than 255 characters, the limit in every inventory. */
function assertLengths(names: readonly string[], path: string[]) {
  const at = names.findIndex((name) => name.length > 255);
  if (at >= 0) assertNone([issue([...path, at], 'must have at most 255 characters', 'too_big')]);
}
