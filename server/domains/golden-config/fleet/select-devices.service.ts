import { type SQL, sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { rows } from '#db/client.ts';
import { deviceOrigins } from '#db/device-origins.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { Selection } from '#db/schemas/network/selection.ts';
import { deviceGroups } from '#db/tables/gateway.ts';
import { allOf, type ReadContext } from '#server/kernel/documents/documents.service.ts';
import { refused } from '#server/kernel/errors.ts';

type Criteria = Omit<Selection, 'exclude'>;

const UNSUPPORTED = ['tags', 'sites'] as const;

/**
 * Returns the names of the devices that a selection names and the caller may read, in order.
 *
 * @param most maximum number of devices
 * @throws ServiceError BAD_REQUEST for criteria that no origin of devices reports, and for more devices
 */
export async function selectDevices(
  ctx: ReadContext,
  { exclude, ...criteria }: Selection,
  most = 50_000,
): Promise<string[]> {
  const left = Array.isArray(exclude)
    ? sql.join(
        exclude.map((pattern) => matches(pattern)),
        sql` or `,
      )
    : exclude && conditionOf(ctx, exclude, ['selection', 'exclude']);
  const found = await rows<{ name: string }>(
    ctx.db,
    sql`select distinct ${deviceOrigins.name} as name from ${deviceOrigins}
        where ${allOf(
          conditionOf(ctx, criteria, ['selection']),
          left && sql`not coalesce((${left}), false)`,
          mayRead(deviceOrigins, ctx.principal),
        )}
        order by 1 limit ${most + 1}`,
    false,
  );
  if (found.length > most) {
    const message = `selects more than ${most} devices: narrow it`;
    throw refused([{ path: ['selection'], message, code: 'too_big' }]);
  }
  return found.map(({ name }) => name);
}

/** Returns the condition that a device has every property of a selection. */
function conditionOf({ principal }: ReadContext, criteria: Criteria, path: string[]): SQL {
  const unknown = UNSUPPORTED.filter((name) => criteria[name] !== undefined);
  if (unknown.length > 0) {
    const message = 'cannot be used yet: no origin reports it';
    throw refused(unknown.map((name) => ({ path: [...path, name], message, code: 'unsupported' })));
  }
  const { names, pattern, groups, platforms, sources } = criteria;
  const { name, ostype, origin } = deviceOrigins;
  const lower = (values: readonly string[]) => textArray(values.map((value) => value.toLowerCase()));
  return allOf(
    names && sql`${name} = any(${textArray(names)})`,
    pattern === undefined ? undefined : matches(pattern),
    platforms && sql`lower(${ostype}) = any(${lower(platforms)})`,
    sources && sql`${origin} = any(${textArray(sources)})`,
    groups &&
      sql`${name} in (select jsonb_array_elements_text(${deviceGroups.doc} -> 'devices') from ${deviceGroups}
        where ${allOf(
          sql`(${deviceGroups.name} = any(${textArray(groups)}) or ${deviceGroups.id} = any(${textArray(groups)}))`,
          mayRead(deviceGroups, principal),
        )})`,
  );
}

/** Returns the condition that the whole name matches a pattern, in which * is any text and ? any character. */
function matches(pattern: string): SQL {
  const like = pattern
    .replace(/[\\%_]/g, '\\$&')
    .replaceAll('*', '%')
    .replaceAll('?', '_');
  return sql`${deviceOrigins.name} ilike ${like}`;
}
