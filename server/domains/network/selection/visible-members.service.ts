import { getTableName, type SQL, sql } from 'drizzle-orm';
import { type DocumentReader, mayRead } from '#db/access.ts';
import { deviceOrigins, groupMembers, selectedDevices } from '#db/device-origins.ts';

/** The rows of both functions are devices, whose access lists apply. */
const DEVICES = getTableName(deviceOrigins);

/**
 * Returns the condition that a caller may see a row of `selected_devices`.
 *
 * @param principal the account whose rights count
 * @returns a condition on `selected_devices`
 */
export const maySelect = (principal: DocumentReader): SQL =>
  mayRead(selectedDevices, principal, DEVICES) ?? sql`true`;

/**
 * Returns the condition that a caller may see a row of `device_group_members`: every name that a group lists, and the
 * devices that its selection matches as far as the caller may see them.
 *
 * @param principal the account whose rights count
 * @returns a condition on `device_group_members`
 */
export function maySeeMember(principal: DocumentReader): SQL {
  const visible = mayRead(groupMembers, principal, DEVICES);
  return visible ? sql`(${groupMembers.readGroups} is null or ${visible})` : sql`true`;
}
