import { sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import type { Grade, GradedGroup } from '#db/schemas/golden-config/compliance.ts';
import type { ComplianceMatrix } from '#db/schemas/golden-config/compliance-report.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { assertVersion } from '../../trees/versions.service.ts';
import { idIn, momentIn, objectIn, textIn, valueIn } from '../reports/json-text.service.ts';
import { type DeviceFilter, matchingDevices, newestOfDevices } from '../reports/report-filter.service.ts';
import type { TreePart } from './coverage.service.ts';
import { benchmarksOf, type Grading } from './grading.ts';
import { gradeIn, scoreIn, shownIn } from './score-sql.service.ts';

const record = objectIn({
  deviceName: sql`name`,
  reportId: idIn(sql`report_id`),
  nodePath: textIn(sql`node_path`),
  timestamp: momentIn(sql`ts`),
  score: sql`${shownIn(sql`score`)}::text`,
  grade: idIn(sql`grade`),
});

const GRADES = ['pass', 'review', 'fail'] as const;

/**
 * Returns the graded newest report of each device at a node or below: always three groups, best scores first, then by
 * device (contract/endpoints#4.6). One pass over the newest reports also builds the text of the response.
 *
 * @throws ServiceError NOT_FOUND for tree or version
 */
export async function gradeDevices(
  ctx: ReadContext<'config'>,
  { treeId, version, nodePath }: TreePart,
  { weights, benchmarks }: Grading,
): Promise<JsonText<GradedGroup[]>> {
  await assertVersion(ctx, treeId, version);
  const found = await rows<{ grade: string; total: number; devices: string; records: string }>(
    ctx.db,
    sql`
    select grade, count(*)::int as total, string_agg(name, ',' order by score desc, device) as devices,
      string_agg(${record}, ',' order by score desc, device) as records
    from (
      select *, ${gradeIn(sql`score`, benchmarksOf(ctx, benchmarks))} as grade
      from (select *, to_json(device)::text as name, ${scoreIn(weights)} as score
        from ${newestOfDevices({ treeId, version, nodePath })} as newest offset 0) as scored
    ) as graded
    group by grade`,
  );
  const groups = GRADES.map((grade) => {
    const { total = 0, devices = '', records = '' } = found.find((group) => group.grade === grade) ?? {};
    return `{"grade":"${grade}","total":${total},"devices":[${devices}],"records":[${records}]}`;
  });
  return json(`[${groups.join(',')}]`);
}

const cell = objectIn({
  specId: valueIn(sql`spec -> 'specId'`),
  errors: valueIn(sql`spec -> 'errors'`),
  warnings: valueIn(sql`spec -> 'warnings'`),
  infos: valueIn(sql`spec -> 'infos'`),
  passes: valueIn(sql`spec -> 'passes'`),
});

/**
 * Returns the matrix of devices and specs, from the newest report of each device (contract/lifecycle#12a).
 *
 * @param page which devices, and which page of them
 * @throws ServiceError NOT_FOUND for tree or version
 */
export async function getMatrix(
  ctx: ReadContext<'config'>,
  { treeId, version, nodePath }: TreePart,
  {
    start = 0,
    limit = 25,
    grade,
    ...filter
  }: DeviceFilter & { grade?: Grade | undefined; start?: number | undefined; limit?: number | undefined },
): Promise<JsonText<ComplianceMatrix>> {
  await assertVersion(ctx, treeId, version);
  const score = sql`(${scoreIn()})`;
  const graded = gradeIn(score, benchmarksOf(ctx));
  const row = objectIn({
    deviceName: textIn(sql`device`),
    reportId: idIn(sql`report_id`),
    timestamp: momentIn(sql`ts`),
    grade: idIn(graded),
    score: valueIn(shownIn(score)),
    cells: sql`(select '[' || coalesce(string_agg(${cell}, ',' order by n), '') || ']'
      from jsonb_array_elements(specs) with ordinality as each (spec, n))`,
  });
  const [found] = await rows<{ total: string; specs: string; list: string }>(
    ctx.db,
    sql`
    with newest as materialized (select * from ${newestOfDevices({ treeId, version, nodePath })} as newest
      where ${matchingDevices(ctx.principal, filter)} and ${grade ? sql`${graded} = ${grade}` : sql`true`}),
    shown as (select newest.*, specs from newest join compliance_finding on sha256 = finding
      order by device limit ${String(limit)}::bigint offset ${String(start)}::bigint),
    columns as (
      select distinct spec ->> 'specId' as id, (spec ->> 'nodePath') collate "C" as path
      from (select distinct finding from newest) as used join compliance_finding on sha256 = used.finding
      cross join jsonb_array_elements(specs) as each (spec))
    select (select count(*) from newest)::text as total,
      (select coalesce(string_agg(${objectIn({ specId: textIn(sql`id`), nodePath: textIn(sql`path`) })}, ','
        order by path, id), '') from columns) as specs,
      (select coalesce(string_agg(${row}, ',' order by device), '') from shown) as list`,
  );
  const { total = '0', specs = '', list = '' } = found ?? {};
  return json(`{"specs":[${specs}],"list":[${list}],"total":${total}}`);
}
