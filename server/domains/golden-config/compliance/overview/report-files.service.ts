import { sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import { calculateForRequest } from '#server/kernel/calculations/calculation-pool.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { findDocument } from '#server/kernel/documents/documents.service.ts';
import { unprocessable } from '#server/kernel/errors.ts';
import { csvOf } from '#server/kernel/text/csv.ts';
import { mapYielding } from '#server/kernel/timing/map-yielding.ts';
import { shownConfiguration } from '../../backups/shown-configuration.ts';
import { newestOfDevices } from '../reports/report-filter.service.ts';
import { assertPart } from '../reports/summaries.service.ts';
import type { DeviceResult, ReportDocument } from './report-pdf.ts';
import { listRules } from './rule-overview.service.ts';

/** Maximum number of devices in a file. */
const MOST = 100_000;
/** Maximum number of rules and of devices in a PDF document. */
const MOST_RULES_SHOWN = 50;
const MOST_DEVICES_SHOWN = 2000;

/** A part of a tree whose newest reports a file contains. */
export type ReportFileRequest = {
  treeId: string;
  version?: string | undefined;
  nodePath?: string | undefined;
};

const HEAD = ['device', 'version', 'nodePath', 'timestamp', 'errors', 'warnings', 'infos', 'passes'] as const;

/** Returns the newest report of each device of a part of a tree, by name. @throws ServiceError NOT_FOUND */
export async function deviceResults(
  ctx: ReadContext,
  part: ReportFileRequest,
  most = MOST,
): Promise<DeviceResult[]> {
  await assertPart(ctx, part);
  return rows<DeviceResult>(
    ctx.db,
    sql`select device, version, node_path as "nodePath",
          to_char(ts at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as timestamp, errors, warnings, infos, passes
        from ${newestOfDevices(part)} as newest order by device limit ${most}`,
    false,
  );
}

/** Returns the newest report of each device of a part of a tree as CSV, by name. @throws ServiceError NOT_FOUND */
export async function reportsAsCsv(ctx: ReadContext, part: ReportFileRequest): Promise<string> {
  const found = await deviceResults(ctx, part);
  return csvOf(
    HEAD,
    found.map((one) => HEAD.map((name) => one[name])),
  );
}

/**
 * Returns the newest reports of a part of a tree as a PDF document: totals, the most violated rules, the devices with issues.
 *
 * @returns the document in base64
 * @throws ServiceError NOT_FOUND
 */
export async function reportsAsPdf(
  ctx: ReadContext<'now'>,
  part: Omit<ReportFileRequest, 'nodePath'>,
): Promise<string> {
  const results = await deviceResults(ctx, part);
  const { doc } = await findDocument(ctx, 'tree', part.treeId);
  const { rules } = await listRules(ctx, { ...part, limit: MOST_RULES_SHOWN });
  const failing = results.filter(({ errors, warnings, infos }) => errors + warnings + infos > 0);
  const report: ReportDocument = {
    title: `Compliance: ${doc.name}`,
    subtitle: `${part.version === undefined ? 'All versions' : `Version ${part.version}`}, ${ctx.platform.now().toISOString()}`,
    totals: { devices: results.length, compliant: results.length - failing.length },
    rules: await mapYielding(
      rules.filter(({ devices }) => devices.fail > 0),
      async (one) => ({ ...one, rule: await shownConfiguration(ctx.principal, one.rule) }),
    ),
    devices: failing.slice(0, MOST_DEVICES_SHOWN),
    more: Math.max(0, failing.length - MOST_DEVICES_SHOWN),
  };
  return (await calculateForRequest('report as PDF', report, (reason) =>
    unprocessable(`The document could not be made: it ${reason}`),
  )) as string;
}
