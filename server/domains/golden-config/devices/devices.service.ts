import { and, type SQL, sql } from 'drizzle-orm';
import { type DocumentReader, mayRead } from '#db/access.ts';
import { type Database, rows } from '#db/client.ts';
import { deviceOrigins } from '#db/device-origins.ts';
import { isOneOf } from '#db/expressions.ts';
import { whereOf } from '#db/list/compile.ts';
import { orderOf } from '#db/list/order.ts';
import { defineResource } from '#db/list/resource.ts';
import { textArray } from '#db/list/row-expressions.ts';
import { Device } from '#db/schemas/network/device.ts';
import type { DeviceSearch } from '#db/schemas/requests/configuration-search.ts';
import { gatewayHosts } from '#db/tables/network/gateway.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { allOf, readSearchAt } from '#server/kernel/documents/documents.service.ts';
import { notFound } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { parserSourcesFor } from '../parsers/readers.service.ts';
import { isOtherPlatform, isSamePlatform } from './platforms.ts';

/** The fields for filtering and sorting: those that every origin reports. */
const resource = defineResource({
  name: 'devices',
  schema: Device.pick({ name: true, host: true, port: true, ostype: true, origin: true }),
  source: deviceOrigins,
  columns: {
    name: deviceOrigins.name,
    host: deviceOrigins.host,
    port: deviceOrigins.port,
    ostype: deviceOrigins.ostype,
    origin: deviceOrigins.origin,
  },
  defaultSort: [{ field: 'name', order: 1 }],
});

/** The search's own names for fields (contract/lifecycle#4.1). */
const LIST_OPTIONS = {
  fields: { address: 'host', ipaddress: 'host', deviceType: 'ostype', chosenAdapter: 'origin' },
};

/**
 * The response to a search for devices; `return_count` is the total: clients page until they have as many
 * (contract/lifecycle#4.1).
 */
export type DevicePage = {
  entity: 'device';
  total: number;
  totalByAdapter: Record<string, number>;
  unique_device_count: number;
  return_count: number;
  start_index: number;
  list: Device[];
};

/**
 * Searches for devices: one row per name, as the first of its origins reports it (contract/lifecycle#4.1). Filters are
 * substrings unless `exactMatch` is set; empty ones do not filter.
 *
 * @throws ServiceError BAD_REQUEST
 */
export async function searchDevices(
  { db, principal }: ReadContext,
  { adapterType, adapterId, origins, ...options }: DeviceSearch,
): Promise<JsonText<DevicePage>> {
  const query = readSearchAt(resource, options, LIST_OPTIONS);
  const visible = mayRead(deviceOrigins, principal);
  const condition = allOf(
    isFirst(visible),
    visible,
    reportedBy(sql`adapter_type`, adapterType, visible),
    reportedBy(sql`origin`, adapterId, visible),
    reportedBy(sql`origin`, typeof origins === 'object' ? origins : undefined, visible),
  );
  const where = whereOf(resource, query.where, condition);
  const keys = orderOf(resource, query.sort);
  const order = keys.map(({ value, direction }) => sql`${value} ${direction}`);
  const [found] = await rows<{ list: string; totals: string }>(
    db,
    sql`with page as materialized (
          select id, row_number() over () as place from (
            select ${deviceOrigins.id} as id from ${deviceOrigins} ${where}
            order by ${sql.join(order, sql`, `)} limit ${query.limit} offset ${query.skip}
          ) as in_order
        ), totals as (
          select ${deviceOrigins.origin} as origin, count(*)::int as total
            from ${deviceOrigins} ${where} group by 1
        )
        select
          (select coalesce(json_agg(${whole(sql`shown`, visible)} order by place), '[]')
             from page join ${deviceOrigins} as shown on shown.id = page.id)::text as list,
          (select coalesce(json_object_agg(origin, total), '{}') from totals)::text as totals`,
    false,
  );
  const { list = '[]', totals = '{}' } = found ?? {};
  const byAdapter = JSON.parse(totals) as Record<string, number>;
  const total = Object.values(byAdapter).reduce((sum, count) => sum + count, 0);
  const head = JSON.stringify({
    entity: 'device',
    total,
    totalByAdapter: byAdapter,
    unique_device_count: total,
    return_count: total,
    start_index: query.skip,
  });
  return json(`${head.slice(0, -1)},"list":${list}}`);
}

/** Returns one device. @throws ServiceError NOT_FOUND */
export async function getDevice({ db, principal }: ReadContext, name: string): Promise<JsonText<Device>> {
  const visible = mayRead(deviceOrigins, principal);
  const [found] = await rows<{ doc: string }>(
    db,
    sql`select ${whole(sql`${deviceOrigins}`, visible)}::text as doc
        from ${deviceOrigins} where ${allOf(sql`${deviceOrigins.name} = ${name}`, visible)}
        order by ${deviceOrigins.rank} limit 1`,
  );
  if (!found) throw notFound('Device', name);
  return json(found.doc);
}

/** Maximum number of names in warnings. */
const NAMED = 100;

/** Returns a warning for each name without a device that the caller may see: at most 100, then the number of the others. */
export async function unknownDevices(
  { db, principal }: ReadContext,
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return [];
  const found = await rows<{ name: string }>(
    db,
    sql`select given.name from unnest(${textArray(names)}) with ordinality as given(name, place)
        where not exists (select from ${deviceOrigins}
          where ${allOf(sql`${deviceOrigins.name} = given.name`, mayRead(deviceOrigins, principal))})
        order by given.place`,
  );
  const warnings = found.slice(0, NAMED).map(({ name }) => `Device ${name} is unknown`);
  return found.length > NAMED ? [...warnings, `and ${found.length - NAMED} more`] : warnings;
}

/** Returns each device's platform as its first origin reports it, as far as the reader may see it. */
export async function platformsOf(
  { db, principal }: { db: Database; principal: DocumentReader },
  names: readonly string[],
): Promise<Map<string, string>> {
  const { name, ostype, rank } = deviceOrigins;
  const found = await db
    .selectDistinctOn([name], { name, ostype })
    .from(deviceOrigins)
    .where(and(isOneOf(name, names), mayRead(deviceOrigins, principal)))
    .orderBy(name, rank);
  return new Map(found.map((device) => [device.name, device.ostype]));
}

/**
 * Returns a warning for each device that is in no inventory or has a platform that a node has no rules for: at most 100,
 * then the number of the others.
 *
 * @param deviceType of the tree
 * @param sections the further platforms that the node has rules for
 */
export async function placementWarnings(
  ctx: ReadContext,
  names: readonly string[],
  deviceType: string,
  sections: readonly string[],
): Promise<string[]> {
  const platforms = await platformsOf(ctx, names);
  const template = (await parserSourcesFor(ctx.db, [deviceType])).get(deviceType)?.template ?? '';
  const all = [deviceType, ...sections].join(', ');
  const warnings = [...new Set(names)].flatMap((name) => {
    const ostype = platforms.get(name);
    if (ostype === undefined) return [`Device ${name} is unknown`];
    return isOtherPlatform(ostype, deviceType, template) &&
      !sections.some((section) => isSamePlatform(section, ostype))
      ? [`Device ${name} is of the platform ${ostype}, and the tree is for ${all}: it will not be checked`]
      : [];
  });
  return warnings.length > NAMED
    ? [...warnings.slice(0, NAMED), `and ${warnings.length - NAMED} more`]
    : warnings;
}

/**
 * Returns the condition that the current row is the first origin of its device that the caller may see. Rows of the first
 * rank, which are most of them, are not compared with others.
 */
function isFirst(visible: SQL | undefined): SQL {
  const better = allOf(
    sql`better.name = ${deviceOrigins.name} and better.rank < ${deviceOrigins.rank}`,
    visible && sql`better.visible`,
  );
  return sql`(${deviceOrigins.rank} = 0 or not exists (select from ${originsAs('better', visible)} where ${better}))`;
}

/** Returns the condition that one of these origins reports the device. */
function reportedBy(column: SQL, names: readonly string[] | undefined, visible: SQL | undefined) {
  if (!names || names.length === 0) return undefined;
  const reports = allOf(
    sql`any_of.name = ${deviceOrigins.name} and any_of.${column} = any(${textArray(names)})`,
    visible && sql`any_of.visible`,
  );
  return sql`exists (select from ${originsAs('any_of', visible)} where ${reports})`;
}

/**
 * Returns the device with all its origins that the caller may see, and whether it responded last.
 *
 * @param row an origin of it, as a row of the view
 */
const whole = (row: SQL, visible: SQL | undefined): SQL => {
  const others = allOf(sql`every.name = ${row}.name`, visible && sql`every.visible`);
  return sql`(${row}.doc || coalesce(${tested(row)}, '{}') || jsonb_build_object('origins', (
    select jsonb_agg(origin order by rank) from (
      select origin, min(rank) as rank from ${originsAs('every', visible)} where ${others} group by origin
    ) as each_origin)))`;
};

/**
 * Returns the state of a device of the gateway by its last test, or by a later contact; null for those of other origins. What
 * happened before the host was last changed says nothing about how it is reached now.
 */
const tested = (row: SQL): SQL => sql`(
  select jsonb_build_object('status', case
    when not (test ->> 'isAlive')::boolean and (seen is null or seen < test ->> 'time') then 'OFFLINE'
    when test is not null or seen >= doc ->> 'lastUpdated' then 'ONLINE'
    else 'UNKNOWN' end)
  from (select doc, doc -> 'lastTest' as test, doc ->> 'lastSeen' as seen
    from ${gatewayHosts} as stored where stored.id = ${row}.id) as last_state)`;

/** Returns the origins under an alias, for comparisons with the current row. */
const originsAs = (alias: string, visible: SQL | undefined): SQL =>
  visible === undefined
    ? sql`${deviceOrigins} as ${sql.identifier(alias)}`
    : sql`(select *, ${visible} as visible from ${deviceOrigins}) as ${sql.identifier(alias)}`;
