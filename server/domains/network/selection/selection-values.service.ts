import { type SQL, sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { rows } from '#db/client.ts';
import { deviceOrigins } from '#db/device-origins.ts';
import type { SelectionField, SelectionValue } from '#db/schemas/network/selection.ts';
import { deviceGroups } from '#db/tables/network/gateway.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';

/** The values that each field of a selection has on a device, as a set of texts of a row of `device_origins`. */
const VALUES: Record<Exclude<SelectionField, 'groups'>, SQL> = {
  tags: sql`jsonb_array_elements_text(device_origins.tags)`,
  platforms: sql`unnest(array[device_origins.ostype, device_origins.device_type])`,
  sites: sql`unnest(array[device_origins.site])`,
  sources: sql`unnest(array[device_origins.source, device_origins.origin])`,
};

/**
 * Returns the values of a field of selections that devices have which the caller may see; for groups, the names of those that
 * it may read. Values that begin with the text come first, then those of most devices.
 *
 * @param text part of the value; case is ignored
 * @param limit maximum number of values
 */
export async function listSelectionValues(
  ctx: ReadContext,
  { field, text, limit }: { field: SelectionField; text: string; limit: number },
): Promise<SelectionValue[]> {
  const found = field === 'groups' ? groupNames(ctx) : valuesOfDevices(ctx, VALUES[field]);
  return rows<SelectionValue>(
    ctx.db,
    sql`select value, devices from (${found}) as found
        where value <> '' and strpos(lower(value), lower(${text})) > 0
        order by strpos(lower(value), lower(${text})) > 1, devices desc nulls last, value collate "C"
        limit ${limit}`,
  );
}

const valuesOfDevices = ({ principal }: ReadContext, values: SQL): SQL =>
  sql`select value, count(distinct device_origins.name)::int as devices
      from device_origins, lateral ${values} as of_device(value)
      where ${mayRead(deviceOrigins, principal) ?? sql`true`} group by value`;

/** The members of a group with a selection are not counted: each would select among all devices. */
const groupNames = ({ principal }: ReadContext): SQL =>
  sql`select ${deviceGroups.name} as value, case when jsonb_typeof(${deviceGroups.doc} -> 'selection') = 'object' then null
        else jsonb_array_length(${deviceGroups.doc} -> 'devices') end as devices
      from ${deviceGroups} where ${mayRead(deviceGroups, principal) ?? sql`true`}`;
