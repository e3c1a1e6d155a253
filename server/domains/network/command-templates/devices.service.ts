import { sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { rows } from '#db/client.ts';
import { deviceOrigins } from '#db/device-origins.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { Selection } from '#db/schemas/network/selection.ts';
import { deviceGroups } from '#db/tables/network/gateway.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { allOf } from '#server/kernel/documents/documents.service.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { assertNone, issue } from '#server/kernel/validation/document-issues.ts';
import { selectDevices } from '../selection/selection.service.ts';
import { maySeeMember } from '../selection/visible-members.service.ts';

/** Maximum number of devices in one run. */
const MOST = 1000;

/**
 * Returns the devices of a run without duplicates: each name is a device or a device group. A name that is both means
 * the device.
 *
 * @param requestedNames a name, or several
 * @param at path of the names in the request
 * @param selection further devices, or the only ones
 * @throws ServiceError BAD_REQUEST naming each that is neither, or that the caller may not see
 */
export async function requestedDevices(
  ctx: ReadContext,
  requestedNames: string | readonly string[] | undefined,
  at: string[],
  selection?: Selection,
): Promise<string[]> {
  const selected = selection ? await selectDevices(ctx, selection, ['selection'], MOST) : [];
  if (requestedNames === undefined && selection) return selected;
  const names = typeof requestedNames === 'string' ? [requestedNames] : (requestedNames ?? []);
  if (names.length === 0) assertNone([issue(at, 'must have at least one device', 'too_small')]);
  const known = await knownNames(ctx, names);
  const issues = names.flatMap((name, index) => {
    const path = typeof requestedNames === 'string' ? at : [...at, index];
    const members = known.get(name);
    if (members === undefined)
      return [issue(path, `Device or device group ${name} does not exist`, 'unknown_device')];
    return members.length === 0 ? [issue(path, `Device group ${name} has no devices`, 'too_small')] : [];
  });
  assertNone(issues);
  const devices = [...new Set([...names.flatMap((name) => known.get(name) ?? []), ...selected])];
  if (devices.length > MOST) {
    assertNone([issue(at, `must be at most ${MOST} devices, not ${devices.length}`, 'too_big')]);
  }
  return devices;
}

/** Returns the members of the current device group that a caller may see, as a JSON list. */
const membersList = (principal: ReadContext['principal']) =>
  sql`(select coalesce(jsonb_agg(distinct name), '[]') from device_group_members(doc) as device_group_members
    where ${maySeeMember(principal)})`;

/** Returns the devices that each name denotes. */
async function knownNames(
  { db, principal }: ReadContext,
  names: readonly string[],
): Promise<Map<string, string[]>> {
  const found = await rows<{ name: string; devices: string | null }>(
    db,
    sql`select given.name,
          case when exists (select from ${deviceOrigins}
              where ${allOf(sql`${deviceOrigins.name} = given.name`, mayRead(deviceOrigins, principal))})
            then jsonb_build_array(given.name)::text
            else (select ${membersList(principal)}::text from ${deviceGroups}
              where ${allOf(sql`(${deviceGroups.name} = given.name or ${deviceGroups.id} = given.name)`, mayRead(deviceGroups, principal))}
              order by (${deviceGroups.name} = given.name) desc limit 1)
          end as devices
        from (select distinct unnest(${textArray(names)}) as name) as given`,
  );
  // The database created the text from a list of names.
  return new Map(
    found.flatMap(({ name, devices }) => (devices === null ? [] : [[name, JSON.parse(devices) as string[]]])),
  );
}

/**
 * Returns the names of all devices that contain a text, ignoring case (contract/lifecycle#7).
 *
 * @param substring part of the name; "" matches every device
 */
export async function devicesLike(
  { db, principal }: ReadContext,
  substring: string,
): Promise<JsonText<string[]>> {
  const [found] = await rows<{ names: string }>(
    db,
    sql`select coalesce(jsonb_agg(name order by name), '[]')::text as names from (
          select distinct ${deviceOrigins.name} as name from ${deviceOrigins}
          where ${allOf(
            sql`position(lower(${substring}) in lower(${deviceOrigins.name})) > 0`,
            mayRead(deviceOrigins, principal),
          )}) as held`,
  );
  return json(found?.names ?? '[]');
}
