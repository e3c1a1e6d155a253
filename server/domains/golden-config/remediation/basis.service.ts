import { and, desc, eq } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { rows } from '#db/client.ts';
import { find } from '#db/collection.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { ReportHeader } from '#db/schemas/golden-config/compliance-report.ts';
import type { Remediation } from '#db/schemas/golden-config/remediation.ts';
import { sql } from '#db/statement.ts';
import { backups, rawConfigs, treeVersions } from '#db/tables/golden-config/configurations.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { conflict, notFound, unprocessable } from '#server/kernel/errors.ts';
import type { ProgramSource } from '../compliance/grading/program-source.ts';
import { notApplicable, rulesAt, rulesForPlatform } from '../compliance/grading/programs.service.ts';
import { ofReadableTrees } from '../compliance/reports/report-filter.service.ts';
import { platformsOf } from '../devices/devices.service.ts';
import { groupsOfDevices } from '../devices/group-members.service.ts';
import { dialectOf } from '../parsing/dialect.ts';
import { visibleVersion } from '../trees/versions.service.ts';

/** The fields of a report that a proposal needs. */
export type ReportBasis = {
  id: string;
  treeId: string;
  version: string;
  nodePath: string;
  deviceName: string;
  status: string;
  backupId: string | null;
  configSha: string | null;
  variables: ReportHeader['variables'];
};

/** A stored configuration text and its hash. */
export type BaseText = typeof rawConfigs.$inferSelect;

const TEXT = { sha256: rawConfigs.sha256, content: rawConfigs.content };

/**
 * Returns the reports with these ids, in the same order.
 *
 * @throws ServiceError NOT_FOUND for the first that does not exist or that the caller may not see; UNPROCESSABLE_CONTENT
 *   for one that could not check its device
 */
export async function reportsOf(
  { db, principal }: ReadContext,
  ids: readonly string[],
): Promise<ReportBasis[]> {
  const found = await rows<Omit<ReportBasis, 'variables'> & { variables: string }>(
    db,
    sql`select id, tree_id as "treeId", version, node_path as "nodePath", device as "deviceName", status,
        backup_id as "backupId", config_sha as "configSha", variables::text as variables
      from compliance_report where id = any(${textArray(ids)}) and ${ofReadableTrees(principal)}`,
  );
  const byId = new Map(found.map((report) => [report.id, report]));
  return ids.map((id) => {
    const report = byId.get(id);
    if (!report) throw notFound('Compliance report', id);
    if (report.status !== 'complete') {
      throw unprocessable(
        `Compliance report ${id} has nothing to remediate: the device could not be checked`,
      );
    }
    return { ...report, variables: JSON.parse(report.variables) as ReportHeader['variables'] };
  });
}

/**
 * Returns the text that a report was made from: its backup's, or the newest stored one of the device.
 *
 * @throws ServiceError CONFLICT when the device's configuration has changed since, or the text is missing
 */
export async function textOfReport(ctx: ReadContext, report: ReportBasis): Promise<BaseText> {
  const { db, principal } = ctx;
  const { id, backupId, deviceName, configSha } = report;
  if (backupId !== null) {
    const [backup] = await db
      .select(TEXT)
      .from(backups)
      .innerJoin(rawConfigs, eq(rawConfigs.sha256, backups.sha256))
      .where(and(eq(backups.id, backupId), mayRead(backups, principal)));
    if (!backup) throw conflict(`Backup ${backupId} of report ${id} does not exist`);
    return backup;
  }
  const [newest] = await db
    .select({ sha256: backups.sha256 })
    .from(backups)
    .where(eq(backups.name, deviceName))
    .orderBy(sql`${backups.date} desc nulls last`, desc(backups.id))
    .limit(1);
  if (!newest) throw conflict(`No configuration of ${deviceName} is stored: back up the device first`);
  if (configSha !== null && configSha !== newest.sha256) {
    throw conflict(`The configuration of ${deviceName} has changed since report ${id}: run compliance again`);
  }
  const text = await storedText(ctx, deviceName, newest.sha256);
  if (!text) throw conflict(`No stored configuration of ${deviceName} is visible to you`);
  return text;
}

/** Returns the device's text with this hash, if a backup that the caller may read contains it. */
export async function storedText(
  { db, principal }: ReadContext,
  deviceName: string,
  sha256: string,
): Promise<BaseText | undefined> {
  const isOfDevice = and(eq(backups.sha256, rawConfigs.sha256), eq(backups.name, deviceName));
  const [text] = await db
    .select(TEXT)
    .from(rawConfigs)
    .innerJoin(backups, isOfDevice)
    .where(and(eq(rawConfigs.sha256, sha256), mayRead(backups, principal)))
    .limit(1);
  return text;
}

/**
 * Returns the rules that apply to a device now: those of the node and of all nodes above it.
 *
 * @param variables of the report; they override those of the version
 * @throws ServiceError CONFLICT when version, node or parser no longer exist
 */
export async function rulesFor(
  ctx: ReadContext,
  where: Pick<Remediation, 'treeId' | 'version' | 'nodePath' | 'deviceName'>,
  variables: ReportHeader['variables'],
): Promise<ProgramSource> {
  const { treeId, version, nodePath, deviceName: name } = where;
  const visible = await find(ctx.db, treeVersions, visibleVersion(ctx.principal, treeId, version));
  if (!visible) throw conflict(`Node ${nodePath} of version ${version} no longer exists`);
  const place = { treeId, version, nodePath, variables: typedValues(variables) };
  const [all = { error: 'its node is unknown' }] = await rulesAt(ctx.db, [place]);
  if ('error' in all) throw conflict(`Nothing can be proposed: ${all.error}`);
  const platform = (await platformsOf(ctx, [name])).get(name);
  const rules = rulesForPlatform(all, platform) ?? { error: notApplicable(name, platform ?? '', all) };
  if ('error' in rules) throw conflict(`Nothing can be proposed: ${rules.error}`);
  const groups = rules.readsDevice ? await groupsOfDevices(ctx.db, [name]) : new Map<string, string[]>();
  const source = rules.programFor({ name, groups: groups.get(name) ?? [] });
  if (!dialectOf(source.parser.template))
    throw conflict(`No parser for configurations of type ${rules.deviceType} exists`);
  return source;
}

/** Returns a report's variables as a run accepts them: expressions carry their type. */
export const typedValues = (variables: ReportHeader['variables']): Record<string, unknown> =>
  Object.fromEntries(
    variables.flatMap(({ name, type, value }): [string, unknown][] =>
      name === undefined ? [] : [[name, type === 'regex' ? { type, value } : value]],
    ),
  );
