import { sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { rows } from '#db/client.ts';
import type { ComplianceCoverage } from '#db/schemas/golden-config/compliance-report.ts';
import { deviceGroups } from '#db/tables/network/gateway.ts';
import { devicesOf, nodesOf } from '#server/domains/network/index.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { assertVersion } from '../../trees/versions.service.ts';
import { idIn, momentIn, objectIn, textIn } from '../reports/json-text.service.ts';
import {
  atOrBelow,
  type DeviceFilter,
  matchingDevices,
  newestOfDevices,
} from '../reports/report-filter.service.ts';
import { benchmarksOf } from './grading.ts';
import { gradeIn, scoreIn } from './score-sql.service.ts';

/** A tree version, and the node to start from; without a path all of it. */
export type TreePart = { treeId: string; version: string; nodePath?: string | undefined };

const DAY_MS = 24 * 3600 * 1000;
const STALE_DAYS = 7;

const unchecked = objectIn({ deviceName: textIn(sql`device`), nodePath: textIn(sql`node_path`) });
/** A device with its newest report. */
const checked = objectIn({
  deviceName: textIn(sql`device`),
  nodePath: textIn(sql`node_path`),
  reportId: idIn(sql`report_id`),
  timestamp: momentIn(sql`ts`),
});

/**
 * Counts the devices of a tree version by grade, and lists those that were never checked or not for a while.
 *
 * @param filter which devices; a page of `limit` names is listed of each kind
 * @throws ServiceError NOT_FOUND for tree or version
 */
export async function getCoverage(
  ctx: ReadContext<'config' | 'now'>,
  { treeId, version, nodePath }: TreePart,
  {
    staleDays = STALE_DAYS,
    start = 0,
    limit = 25,
    ...filter
  }: DeviceFilter & {
    staleDays?: number | undefined;
    start?: number | undefined;
    limit?: number | undefined;
  },
): Promise<JsonText<ComplianceCoverage>> {
  await assertVersion(ctx, treeId, version);
  const staleBefore = new Date(ctx.platform.now().getTime() - staleDays * DAY_MS);
  const matching = matchingDevices(ctx.principal, filter);
  const page = sql`order by device limit ${String(limit)}::bigint offset ${String(start)}::bigint`;
  const grade = gradeIn(sql`(${scoreIn()})`, benchmarksOf(ctx));
  const graded = (name: string) => sql`(select count(*)::text from newest where grade = ${name})`;
  const [found] = await rows<{ text: string }>(
    ctx.db,
    sql`${nodesOf(sql`version.tree_id = ${treeId} and version.version = ${version}`)},
      ${devicesOf(mayRead(deviceGroups, ctx.principal))},
      assigned as materialized (select device, min(node_path) as node_path
        from (select device, path as node_path from placed) as placed
        where ${atOrBelow(nodePath)} and ${matching} group by device),
      newest as materialized (select device, node_path, report_id, ts, ${grade} as grade
        from ${newestOfDevices({ treeId, version, nodePath })} as newest where ${matching}),
      other as materialized (select device, node_path, report_id, ts
        from ${newestOfDevices({ treeId, version, nodePath }, 'notApplicable')} as other
        where ${matching} and not exists (select from newest where newest.device = other.device)),
      unchecked as materialized (select * from assigned
        where not exists (select from newest where newest.device = assigned.device)
          and not exists (select from other where other.device = assigned.device)),
      stale as materialized (select * from newest where ts < to_timestamp(${String(staleBefore.getTime())}::bigint / 1000.0))
    select ${objectIn({
      assigned: sql`(select count(*)::text from assigned)`,
      grades: objectIn({ pass: graded('pass'), review: graded('review'), fail: graded('fail') }),
      staleDays: sql`${String(staleDays)}::text`,
      unchecked: objectIn({
        total: sql`(select count(*)::text from unchecked)`,
        list: sql`(select '[' || coalesce(string_agg(${unchecked}, ',' order by device), '') || ']'
          from (select * from unchecked ${page}) as page)`,
      }),
      notApplicable: objectIn({
        total: sql`(select count(*)::text from other)`,
        list: sql`(select '[' || coalesce(string_agg(${checked}, ',' order by device), '') || ']'
          from (select * from other ${page}) as page)`,
      }),
      stale: objectIn({
        total: sql`(select count(*)::text from stale)`,
        list: sql`(select '[' || coalesce(string_agg(${checked}, ',' order by device), '') || ']'
          from (select * from stale ${page}) as page)`,
      }),
    })} as text`,
  );
  return json(found?.text ?? '');
}
