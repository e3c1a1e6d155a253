import { sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import type { ReadContext } from '#server/kernel/documents/documents.service.ts';
import { csvOf } from '#server/kernel/text/csv.ts';
import { newestOfDevices } from '../reports/report-filter.service.ts';
import { assertPart } from '../reports/summaries.service.ts';

/** Maximum number of devices in a file. */
const MOST = 100_000;

/** A part of a tree whose newest reports a file contains. */
export type ReportFileRequest = {
  treeId: string;
  version?: string | undefined;
  nodePath?: string | undefined;
};

/** The newest report of a device. */
export type DeviceResult = {
  device: string;
  version: string;
  nodePath: string;
  timestamp: string;
  errors: number;
  warnings: number;
  infos: number;
  passes: number;
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
