import { type SQL, sql } from 'drizzle-orm';
import type { DocumentReader } from '#db/access.ts';
import { type Database, rows } from '#db/client.ts';
import type { TrendDay } from '#db/schemas/golden-config/compliance-report.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { invalid } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { benchmarksOf } from '../grading/grading.ts';
import { gradeIn, shownIn } from '../grading/score-sql.service.ts';
import { objectIn, textIn, valueIn } from './json-text.service.ts';
import { atOrBelow, matchingDevices, trimmed } from './report-filter.service.ts';
import { assertPart, type SummaryRow } from './summaries.service.ts';
import { daysBetween } from './trend-days.ts';

const devicesWith = (grade: string): SQL =>
  sql`coalesce(sum(devices) filter (where grade = ${sql.raw(`'${grade}'`)}), 0)`;

const trendDay = objectIn({
  date: textIn(sql`to_char(day, 'YYYY-MM-DD')`),
  devices: valueIn(sql`sum(devices)`),
  pass: valueIn(devicesWith('pass')),
  review: valueIn(devicesWith('review')),
  fail: valueIn(devicesWith('fail')),
  // In the order of the scores, so that the mean of a day is the same whether it was summarized or counted.
  meanScore: valueIn(shownIn(sql`(sum(score * devices order by score) / sum(devices))`)),
});

/**
 * Returns the trend of a tree by day: the newest report of each device that was checked on that day, with the default
 * weights (contract/lifecycle#12a). Days are in UTC; days without complete reports are left out.
 *
 * A day is read from its summary. Its reports are counted only if they changed since it was summarized, or if the range or
 * a device group excludes some of them (decision 0050).
 *
 * @param range times or days, both inclusive; absent: the last 90 days and today
 * @throws ServiceError NOT_FOUND, BAD_REQUEST when they are more than 366 days apart
 */
export async function getTrend(
  ctx: ReadContext<'config' | 'now'>,
  part: TrendPart,
  range: { from?: string | undefined; to?: string | undefined },
): Promise<JsonText<TrendDay[]>> {
  const days = daysBetween(range, ctx.platform.now());
  if (!days) throw invalid(['from'], 'must be before to, by 366 days at most', 'invalid_range');
  await assertPart(ctx, part);
  const found = await rows<{ text: string }>(
    ctx.db,
    sql`
    with days as materialized (${daysWithSummaries(part, days)}),
    scored as (
      select day, score, devices
      from days cross join unnest(summary_scores, summary_devices) as summary (score, devices)
      where not is_counted
      union all
      select day, score, count(*) from days cross join lateral (${countedScores(ctx.principal, part)}) as newest
      where is_counted group by day, score)
    select ${trendDay} as text
    from (select *, ${gradeIn(sql`score`, benchmarksOf(ctx))} as grade from scored) as graded
    group by day order by day`,
  );
  return json(`[${found.map(({ text }) => text).join(',')}]`);
}

/** A tree, a node, and the devices of a group; without a group, all devices. */
type TrendPart = SummaryRow & { deviceGroupId?: string | undefined };

/** Returns the days of a range with their bounds, their summaries, and whether their reports have to be counted. */
function daysWithSummaries(
  { treeId, version, nodePath, deviceGroupId }: TrendPart,
  range: { from: Date; until: Date },
): SQL {
  const moment = (date: Date) => sql`to_timestamp(${String(date.getTime())}::bigint / 1000.0)`;
  const [from, until] = [moment(range.from), moment(range.until)];
  return sql`
    select days.day, bounds.from, bounds.until, summary.scores as summary_scores, summary.devices as summary_devices,
      ${deviceGroupId !== undefined} or coalesce(summary.first_ts < bounds.from or summary.last_ts >= bounds.until, false) or exists (
        select from compliance_trend_change as change
        where change.tree_id = ${treeId} and change.day = days.day) as is_counted
    from (select day::date from generate_series(date_trunc('day', ${from} at time zone 'UTC'),
        ${until} at time zone 'UTC', '1 day') as series (day)) as days
      cross join lateral (select greatest(${from}, day::timestamp at time zone 'UTC') as from,
        least(${until}, (day + 1)::timestamp at time zone 'UTC') as until) as bounds
      left join compliance_trend as summary on summary.tree_id = ${treeId}
        and ${version === undefined ? sql`summary.version is null` : sql`summary.version = ${version}`}
        and summary.node_path = ${trimmed(nodePath)} and summary.day = days.day`;
}

/** Returns the score of each device on the current day: few enough rows per day to sort in memory. */
const countedScores = (
  principal: DocumentReader,
  { treeId, version, nodePath, deviceGroupId }: TrendPart,
): SQL => sql`
  select distinct on (device) score_default as score from compliance_report
  where tree_id = ${treeId} and ${version === undefined ? sql`true` : sql`version = ${version}`}
    and ts >= days.from and ts < days.until and ${atOrBelow(nodePath)} and status = 'complete'
    and ${matchingDevices(principal, { deviceGroupId })}
  order by device, ts desc, id desc`;

/**
 * Summarizes the days whose reports have changed. Several processes may call it at the same time: one of them works.
 *
 * @param db the pool, so that each second of work is a separate transaction
 * @param ending stops between two transactions
 */
export async function summarizeTrend(db: Database, ending?: AbortSignal): Promise<void> {
  for (let hasMore = true; hasMore && !ending?.aborted; ) {
    const [row] = await rows<{ more: boolean }>(db, sql`select summarize_compliance_trend() as more`);
    hasMore = row?.more ?? false;
  }
}
