import { type SQL, sql } from 'drizzle-orm';
import type { DocumentReader } from '#db/access.ts';
import { type Database, rows } from '#db/client.ts';
import { groupMembers } from '#db/device-origins.ts';
import { textArray } from '#db/list/row-expressions.ts';
import { deviceGroups } from '#db/tables/network/gateway.ts';
import { maySeeMember } from '#server/domains/network/index.ts';

/**
 * Returns the devices of device groups by group id, without checking rights to the groups; groups that do not exist have
 * none. The selection of a group matches what the caller may see.
 */
export const devicesOfGroups = (
  { db, principal }: { db: Database; principal: DocumentReader },
  groupIds: readonly string[],
): Promise<Map<string, string[]>> =>
  membersOf(
    db,
    groupIds,
    sql`select distinct ${deviceGroups.id} as key, ${groupMembers.name} as member
        from ${deviceGroups} cross join lateral device_group_members(${deviceGroups.doc}) as device_group_members
        where ${deviceGroups.id} = any(${textArray(groupIds)}) and ${maySeeMember(principal)}
        order by member`,
  );

/** Returns the names of the groups that devices belong to, by device. */
export const groupsOfDevices = (db: Database, devices: readonly string[]): Promise<Map<string, string[]>> =>
  membersOf(
    db,
    devices,
    sql`select distinct ${groupMembers.name} as key, ${deviceGroups.name} as member
        from ${deviceGroups} cross join lateral device_group_members(${deviceGroups.doc}) as device_group_members
        where (${deviceGroups.doc} -> 'devices' ?| ${textArray(devices)} or ${deviceGroups.doc} ? 'selection')
          and ${groupMembers.name} = any(${textArray(devices)}) order by member`,
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
