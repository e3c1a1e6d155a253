import { sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { rows } from '#db/client.ts';
import { selectedDevices } from '#db/device-origins.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { Selection } from '#db/schemas/network/selection.ts';
import { deviceGroups } from '#db/tables/network/gateway.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { assertNone, issue } from '#server/kernel/validation/document-issues.ts';
import { maySelect } from './visible-members.service.ts';

type Path = readonly (string | number)[];

/** A page of a selection. */
export type SelectionPage = { total: number; devices: string[] };

/**
 * Returns the devices that a selection matches and the caller may see, by name.
 *
 * @param selection criteria that a device must all meet
 * @param path of the selection in the request, for issues
 * @param most maximum number of devices
 * @returns the names in order; at least one
 * @throws ServiceError BAD_REQUEST when a named device or group does not exist, when nothing matches, or too much
 */
export async function selectDevices(
  ctx: ReadContext,
  selection: Selection,
  path: Path = ['selection'],
  most = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const resolved = await resolvedSelection(ctx, selection, path);
  const { devices } = await matching(ctx, resolved);
  await assertNamesExist(selection, devices, path, ctx);
  if (devices.length === 0)
    assertNone([issue([...path], 'matches no device that you may see', 'unknown_device')]);
  if (devices.length > most)
    assertNone([
      issue([...path], `matches ${devices.length} devices: at most ${most} are allowed`, 'too_big'),
    ]);
  return devices;
}

/**
 * Returns one page of the devices that a selection matches, by name; none is no error.
 *
 * @param skip number of devices before the page, from 0
 * @param limit most devices in the page
 * @throws ServiceError BAD_REQUEST when a group does not exist
 */
export async function listSelection(
  ctx: ReadContext,
  selection: Selection,
  { skip = 0, limit = 25 }: { skip?: number | undefined; limit?: number | undefined },
): Promise<SelectionPage> {
  return matching(ctx, await resolvedSelection(ctx, selection, ['selection']), { skip, limit });
}

/**
 * Returns the names of a request: those that it lists, and those that its selection matches.
 *
 * @param listed names as the request lists them
 * @param most maximum number of names; more are rejected
 * @throws ServiceError BAD_REQUEST when the selection is empty, matches nothing or too much
 */
export async function withSelection(
  ctx: ReadContext,
  listed: string | readonly string[] | undefined,
  selection: Selection | undefined,
  most?: number,
): Promise<string[]> {
  const names = listed === undefined ? [] : typeof listed === 'string' ? [listed] : listed;
  if (!selection) return [...names];
  return [...new Set([...names, ...(await selectDevices(ctx, selection, ['selection'], most))])];
}

/**
 * Returns the issues of a selection that a device group keeps: it may not name groups, which could contain each other.
 *
 * @param path where the selection is in the request
 * @returns an issue for each group that it names; empty when it names none
 */
export function storedSelectionIssues({ groups, exclude }: Selection, path: Path): Issue[] {
  const message = 'is not supported in the selection of a device group';
  const inExclude = exclude !== undefined && !Array.isArray(exclude) && exclude.groups !== undefined;
  return [
    ...(groups ? [issue([...path, 'groups'], message)] : []),
    ...(inExclude ? [issue([...path, 'exclude', 'groups'], message)] : []),
  ];
}

async function matching(
  { db, principal }: ReadContext,
  selection: Selection,
  page?: { skip: number; limit: number },
): Promise<SelectionPage> {
  const bounds = page ? sql`limit ${page.limit} offset ${page.skip}` : sql``;
  const [found] = await rows<{ total: number; devices: string }>(
    db,
    sql`with found as materialized (
          select distinct ${selectedDevices.name} collate "C" as name
          from selected_devices(${JSON.stringify(selection)}::text::jsonb) as selected_devices
          where ${maySelect(principal)})
        select (select count(*)::int from found) as total,
          (select coalesce(json_agg(name order by name), '[]')::text
             from (select name from found order by name ${bounds}) as page) as devices`,
  );
  return { total: found?.total ?? 0, devices: JSON.parse(found?.devices ?? '[]') as string[] };
}

/** Returns the selection with ids for its groups. @throws ServiceError BAD_REQUEST naming each unknown group */
async function resolvedSelection(ctx: ReadContext, selection: Selection, path: Path): Promise<Selection> {
  const { groups, exclude } = selection;
  const inner = exclude !== undefined && !Array.isArray(exclude) ? exclude : undefined;
  const named = [...(groups ?? []), ...(inner?.groups ?? [])];
  if (named.length === 0) return selection;
  const ids = await groupIds(ctx, named);
  const unknown = (names: readonly string[], at: Path) =>
    names.flatMap((name, index) =>
      ids.has(name) ? [] : [issue([...at, index], `no device group is named ${name}`, 'unknown_group')],
    );
  assertNone([
    ...unknown(groups ?? [], [...path, 'groups']),
    ...unknown(inner?.groups ?? [], [...path, 'exclude', 'groups']),
  ]);
  const idsOf = (names: readonly string[]) => names.flatMap((name) => ids.get(name) ?? []);
  return {
    ...selection,
    ...(groups && { groups: idsOf(groups) }),
    ...(inner?.groups && { exclude: { ...inner, groups: idsOf(inner.groups) } }),
  };
}

async function groupIds(
  { db, principal }: ReadContext,
  names: readonly string[],
): Promise<Map<string, string>> {
  const found = await rows<{ given: string; id: string }>(
    db,
    sql`select given.name as given, ${deviceGroups.id} as id
        from (select distinct unnest(${textArray(names)}) as name) as given
        join ${deviceGroups} on ${deviceGroups.id} = given.name or ${deviceGroups.name} = given.name
        where ${mayRead(deviceGroups, principal) ?? sql`true`} order by ${deviceGroups.id} = given.name desc`,
  );
  return new Map(found.map(({ given, id }) => [given, id]).reverse() as [string, string][]);
}

/** Rejects names of a selection for which no device exists; a name that other criteria leave out is no issue. */
async function assertNamesExist(
  { names }: Selection,
  devices: readonly string[],
  path: Path,
  ctx: ReadContext,
): Promise<void> {
  if (!names) return;
  const selected = new Set(devices);
  const rest = names.filter((name) => !selected.has(name));
  if (rest.length === 0) return;
  const known = new Set((await matching(ctx, { names: rest })).devices);
  assertNone(
    names.flatMap((name, at) =>
      selected.has(name) || known.has(name)
        ? []
        : [issue([...path, 'names', at], `Device ${name} does not exist`, 'unknown_device')],
    ),
  );
}
