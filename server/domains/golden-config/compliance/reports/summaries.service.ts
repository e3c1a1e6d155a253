import { type SQL, sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import { findAll } from '#db/collection.ts';
import type { ComplianceSummary, TopIssue } from '#db/schemas/golden-config/compliance-report.ts';
import { treeVersions } from '#db/tables/golden-config/configurations.ts';
import { withoutConfigurationSecrets } from '#server/domains/network/index.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { notFound } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { seesConfigurationSecrets } from '#server/kernel/principal.ts';
import { maskedAnswer } from '#server/kernel/secrets/masked-answer.ts';
import { findNode } from '../../trees/tree-nodes.ts';
import { getTree } from '../../trees/trees.service.ts';
import { assertVersion } from '../../trees/versions.service.ts';
import { objectIn, textIn, valueIn } from './json-text.service.ts';
import {
  atOrBelow,
  type DeviceFilter,
  matchingDevices,
  newestOfDevices,
  ofReadableTrees,
  type ReportFilter,
  trimmed,
} from './report-filter.service.ts';

/** A tree and the node to start from; without a version, whichever each device was checked against last. */
export type SummaryRow = { treeId: string; version?: string | undefined; nodePath?: string | undefined };

/**
 * Rejects a part of a tree that does not exist, or that the caller may not read.
 *
 * @throws ServiceError NOT_FOUND for tree or version
 */
export async function assertPart(ctx: ReadContext, { treeId, version }: SummaryRow): Promise<void> {
  if (version === undefined) await getTree(ctx, treeId);
  else await assertVersion(ctx, treeId, version);
}

const sumOf = (column: string): SQL => sql.raw(`coalesce(sum(${column}), 0)`);
const devicesWith = (condition: string): SQL => sql.raw(`count(*) filter (where ${condition})`);

/**
 * Summarizes the newest report of each device at a node or below (contract/lifecycle#4.8). A deleted node still has a
 * summary as long as it has reports.
 *
 * @throws ServiceError NOT_FOUND for tree, version, or a node that neither exists nor has reports
 */
export async function summarize(ctx: ReadContext, part: SummaryRow): Promise<JsonText<ComplianceSummary>> {
  await assertPart(ctx, part);
  const path = trimmed(part.nodePath);
  const text = objectIn({
    treeId: textIn(sql`${part.treeId}::text`),
    nodePath: textIn(sql`${path}::text`),
    error: valueIn(sumOf('errors')),
    warning: valueIn(sumOf('warnings')),
    info: valueIn(sumOf('infos')),
    pass: valueIn(sumOf('passes')),
    errorDevices: valueIn(devicesWith('errors > 0')),
    warningDevices: valueIn(devicesWith('warnings > 0')),
    infoDevices: valueIn(devicesWith('infos > 0')),
    compliantDevices: valueIn(devicesWith('errors | warnings | infos = 0')),
    totalDevices: valueIn(sql`count(*)`),
  });
  const [found] = await rows<{ text: string; devices: string }>(
    ctx.db,
    sql`select ${text} as text, count(*)::text as devices from ${newestOfDevices(part)} as newest`,
  );
  if (path !== '' && found?.devices === '0') await assertNode(ctx, part, path);
  return json(found?.text ?? '');
}

async function assertNode({ db }: ReadContext, { treeId, version }: SummaryRow, path: string): Promise<void> {
  const versions = await findAll(
    db,
    treeVersions,
    sql`tree_id = ${treeId} and ${version === undefined ? sql`true` : sql`version = ${version}`}`,
  );
  if (!versions.some(({ doc }) => findNode(doc.root, path))) throw notFound('Node', path);
}

/** The page of top issues: the number of rules, and the range of devices for each. */
type TopIssuesPage = { limit: number; deviceStart: number; deviceLimit: number };

const topIssueText = ({ deviceStart, deviceLimit }: Omit<TopIssuesPage, 'limit'>): SQL =>
  objectIn({
    parents: sql`coalesce(parents, '[]')`,
    message: textIn(sql`message`),
    severity: textIn(sql`severity`),
    type: textIn(sql`type`),
    spec: sql`spec::text`,
    count: valueIn(sql`violations`),
    devices: valueIn(sql`(select count(distinct device) from newest where finding = any(findings))`),
    deviceNames: valueIn(sql`(select coalesce(json_agg(device), '[]') from (
      select distinct device from newest where finding = any(findings)
      order by device offset ${String(deviceStart)}::bigint limit ${String(deviceLimit)}::bigint) as page)`),
  });

/**
 * Returns the rules that the newest reports violate most often (contract/lifecycle#4.8). Distinct findings are counted
 * before their issues are read, because fleets have many identical findings.
 *
 * @param page the number of rules, and the range of devices of each, by name
 * @throws ServiceError NOT_FOUND for a tree or version that does not exist
 */
export async function listTopIssues(
  ctx: ReadContext,
  { treeId, version, nodePath, deviceGroupId }: ReportFilter & DeviceFilter,
  { limit, ...devicePage }: TopIssuesPage,
): Promise<JsonText<TopIssue[]>> {
  if (treeId !== undefined) await assertPart(ctx, { treeId, version });
  const newest =
    treeId === undefined
      ? sql`(select distinct on (tree_id, device) * from compliance_latest
          where ${version === undefined ? sql`true` : sql`version = ${version}`} and ${atOrBelow(nodePath)}
            and status = 'complete' and ${ofReadableTrees(ctx.principal)}
          order by tree_id, device, ts desc, report_id desc)`
      : newestOfDevices({ treeId, version, nodePath });
  const [found] = await rows<{ list: string }>(
    ctx.db,
    sql`
    with newest as materialized (select device, finding from ${newest} as newest
      where ${matchingDevices(ctx.principal, { deviceGroupId })}),
    used as (select finding, count(*) as reports from newest group by finding),
    top as (
      select message, severity, type, spec, sum(violations * reports)::bigint as violations,
        array_agg(finding) as findings, min(parents) as parents
      from (
        select finding, reports, issue ->> 'message' as message, issue ->> 'severity' as severity,
          issue ->> 'type' as type, issue -> 'spec' as spec, count(*) as violations,
          min(issue ->> 'parents') as parents
        from used join compliance_finding on sha256 = finding cross join jsonb_array_elements(issues) as each (issue)
        group by 1, 2, 3, 4, 5, 6) as counted
      group by message, severity, type, spec
      order by violations desc, message collate "C", severity, type, spec limit ${String(limit)}::bigint)
    select coalesce(string_agg(${topIssueText(devicePage)}, ',' order by violations desc, message collate "C", severity, type, spec), '')
      as list from top`,
  );
  return json(JSON.stringify(await shownIssues(ctx, JSON.parse(`[${found?.list ?? ''}]`))));
}

/** Returns top issues as a reader gets them: for one who reads masks, the lines above a rule say whether it holds a secret. */
async function shownIssues(
  { principal }: Pick<ReadContext, 'principal'>,
  found: readonly (TopIssue & { parents: string[] })[],
): Promise<TopIssue[]> {
  const list = found.map(({ parents: _, ...issue }) => issue);
  if (seesConfigurationSecrets(principal)) return list;
  const rules = found.map(({ parents, message, spec }) => ({ parents, message, spec }));
  const masked = (await maskedAnswer(rules, withoutConfigurationSecrets)) as typeof rules;
  return list.map((issue, at) => {
    const { message = '', spec = issue.spec } = masked[at] ?? {};
    return { ...issue, message, spec };
  });
}
