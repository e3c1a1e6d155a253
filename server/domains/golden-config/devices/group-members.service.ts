import { type SQL, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { textArray } from '#db/list/row-expressions.ts';
import { deviceGroups } from '#db/tables/gateway.ts';

/** Returns the devices of device groups by group id, without checking rights; groups that do not exist have none. */
export const devicesOfGroups = (db: Database, groupIds: readonly string[]): Promise<Map<string, string[]>> =>
  membersOf(
    db,
    groupIds,
    sql`select id as key, device as member
        from ${deviceGroups} cross join lateral jsonb_array_elements_text(doc -> 'devices') as device
        where id = any(${textArray(groupIds)}) order by device`,
  );

/** Returns the names of the groups that devices belong to, by device. */
export const groupsOfDevices = (db: Database, devices: readonly string[]): Promise<Map<string, string[]>> =>
  membersOf(
    db,
    devices,
    sql`select device as key, name as member
        from ${deviceGroups} cross join lateral jsonb_array_elements_text(doc -> 'devices') as device
        where doc -> 'devices' ?| ${textArray(devices)} and device = any(${textArray(devices)}) order by name`,
  );

async function membersOf(db: Database, names: readonly string[], query: SQL): Promise<Map<string, string[]>> {
  const members = new Map<string, string[]>();
  if (names.length === 0) return members;
  for (const { key, member } of await rows<{ key: string; member: string }>(db, query)) {
    const known = members.get(key);
    if (known) known.push(member);
    else members.set(key, [member]);
  }
  return members;
}
