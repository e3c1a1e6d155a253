import { type SQL, sql } from 'drizzle-orm';
import { type Database, inTransaction, rows } from '#db/client.ts';
import { isOneOf } from '#db/expressions.ts';
import { jsonTexts, textArray } from '#db/list/row-expressions.ts';
import { complianceBatches, complianceFindings } from '#db/tables/golden-config/reports.ts';
import { batches } from '#server/kernel/documents/batches.ts';
import { makePartitions } from '../runs/partitions.service.ts';
import type { StoredFinding } from './finding.service.ts';
import { inStoringOrder, type NewReport } from './new-report.ts';

/** Number of reports per statement: more is not faster, and holds locks longer. */
const CHUNK = 2000;

/**
 * Stores reports with their findings, the newest report of each device at each tree node, and the counts of their batches:
 * each chunk of 2,000 entirely or not at all. Storing again changes nothing: a report is identified by its id, and a device
 * has one report per batch, tree node and backup, whatever its id. Several processes may store the same devices at the same
 * time.
 *
 * A report of a batch has the start of the batch as its timestamp: this lets the database itself reject a duplicate across
 * partitions, and makes a run one point of every history.
 *
 * @param db the pool, so that each chunk is a separate transaction; a transaction would include all of them
 * @returns the number of stored reports, without those that existed already
 */
export async function storeReports(db: Database, reports: readonly NewReport[]): Promise<number> {
  const started = await startsOf(db, reports);
  const dated = inStoringOrder(reports).map((report) => ({
    ...report,
    timestamp: started.get(report.batchId ?? '') ?? report.timestamp,
  }));
  await makePartitions(
    db,
    dated.map(({ timestamp }) => timestamp),
  );
  let stored = 0;
  for (let at = 0; at < dated.length; at += CHUNK) {
    const chunk = dated.slice(at, at + CHUNK);
    stored += await inTransaction(db, (tx) => storeChunk(tx, chunk));
  }
  return stored;
}

/** Returns the start of each batch of these reports. */
async function startsOf(db: Database, reports: readonly NewReport[]): Promise<Map<string, Date>> {
  const ids = [...new Set(reports.flatMap(({ batchId }) => batchId ?? []))];
  if (ids.length === 0) return new Map();
  const { id, started } = complianceBatches;
  const found = await db.select({ id, started }).from(complianceBatches).where(isOneOf(id, ids));
  return new Map(found.map((batch) => [batch.id, batch.started]));
}

async function storeChunk(db: Database, chunk: readonly NewReport[]): Promise<number> {
  const findings = await storeFindings(db, chunk);
  // PostgreSQL runs an unreferenced part of a statement after the referenced ones: reports first, then the newest, for all
  // callers.
  const counts = await rows<{ batchId: string | null; done: string; errors: string }>(
    db,
    sql`
    with stored as (
      insert into compliance_report (id, batch_id, tree_id, version, node_path, device, ts, status, error, device_type,
        spec_id, inherited_spec_ids, backup_id, config_sha, program_sha, variables, parse_warnings, evaluated,
        errors, warnings, infos, passes, finding)
      select id, batch_id, tree_id, version, node_path, device, to_timestamp(ms / 1000.0), status, error, device_type,
        spec_id, inherited_spec_ids::text[], backup_id, config_sha, program_sha, variables::jsonb,
        parse_warnings::jsonb, evaluated, errors, warnings, infos, passes, finding
      from ${reportRows(chunk, findings)}
      order by batch_id, tree_id, version, node_path, device, id
      on conflict do nothing
      returning *
    ), newest as (
      insert into compliance_latest as latest (tree_id, version, node_path, device, report_id, ts, errors, warnings,
        infos, passes, finding, status, device_type)
      select distinct on (tree_id, version, node_path, device) tree_id, version, node_path, device, id, ts, errors,
        warnings, infos, passes, finding, status, device_type
      from stored where status <> 'error'
      order by tree_id, version, node_path, device, ts desc, id desc
      on conflict (tree_id, version, node_path, device) do update set report_id = excluded.report_id,
        ts = excluded.ts, errors = excluded.errors, warnings = excluded.warnings, infos = excluded.infos,
        passes = excluded.passes, finding = excluded.finding, status = excluded.status,
        device_type = excluded.device_type
      where (excluded.ts, excluded.report_id) > (latest.ts, latest.report_id)
    )
    select batch_id as "batchId", count(*)::text as done,
      count(*) filter (where status = 'error')::text as errors
    from stored group by batch_id order by batch_id`,
  );
  for (const { batchId, done, errors } of counts) {
    if (batchId === null) continue;
    await rows(
      db,
      sql`update compliance_batch set done = done + ${done}::int, errors = errors + ${errors}::int where id = ${batchId}`,
    );
  }
  return counts.reduce((sum, { done }) => sum + Number(done), 0);
}

/** Returns the reports of a chunk as rows: one parameter per column, whatever their number. */
function reportRows(chunk: readonly NewReport[], findings: readonly (string | null)[]): SQL {
  const texts = (of: (report: NewReport) => string | null) => nullableTexts(chunk.map(of));
  const numbers = (of: (report: NewReport) => number, type: 'int' | 'bigint' = 'int') =>
    sql`${`{${chunk.map(of).join(',')}}`}::${sql.raw(type)}[]`;
  return sql`unnest(${texts(({ id }) => id)}, ${texts(({ batchId }) => batchId)}, ${texts(({ treeId }) => treeId)},
    ${texts(({ version }) => version)}, ${texts(({ nodePath }) => nodePath)}, ${texts(({ deviceName }) => deviceName)},
    ${numbers(({ timestamp }) => timestamp.getTime(), 'bigint')}, ${texts(({ status }) => status)},
    ${texts(({ error }) => error ?? null)}, ${texts(({ deviceType }) => deviceType)}, ${texts(({ specId }) => specId)},
    ${texts(({ inheritedSpecIds }) => `{${inheritedSpecIds.join(',')}}`)}, ${texts(({ backupId }) => backupId)},
    ${texts(({ configSha }) => configSha)}, ${texts(({ programSha }) => programSha)},
    ${texts(({ variables }) => JSON.stringify(variables))},
    ${texts(({ parseWarnings }) => JSON.stringify(parseWarnings))}, ${numbers(({ evaluated }) => evaluated)},
    ${numbers(({ totals }) => totals.errors)}, ${numbers(({ totals }) => totals.warnings)},
    ${numbers(({ totals }) => totals.infos)}, ${numbers(({ totals }) => totals.passes)}, ${nullableTexts(findings)})
    as given (id, batch_id, tree_id, version, node_path, device, ms, status, error, device_type, spec_id,
      inherited_spec_ids, backup_id, config_sha, program_sha, variables, parse_warnings, evaluated, errors, warnings,
      infos, passes, finding)`;
}

/** Returns an array of texts and nulls as one parameter. */
function nullableTexts(texts: readonly (string | null)[]): SQL {
  const quoted = texts.map((text) => (text === null ? 'null' : `"${text.replace(/["\\]/g, '\\$&')}"`));
  return sql`${`{${quoted.join(',')}}`}::text[]`;
}

/**
 * Stores findings once each, in the order of the hashes; those that are already stored are not sent again. Findings are
 * never deleted.
 *
 * @returns the hash of each report's findings
 */
async function storeFindings(db: Database, chunk: readonly NewReport[]): Promise<(string | null)[]> {
  const found = new Map<string, StoredFinding>();
  for (const { findings } of chunk)
    if (findings && 'issues' in findings) found.set(findings.sha256, findings);
  const hashes = chunk.map(({ findings }) => findings?.sha256 ?? null);
  if (found.size === 0) return hashes;
  const { sha256 } = complianceFindings;
  const isFound = isOneOf(sha256, [...found.keys()]);
  for (const known of await db.select({ sha256 }).from(complianceFindings).where(isFound))
    found.delete(known.sha256);
  const missing = [...found.values()].sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
  for (const batch of batches(missing, ({ issues }) => issues)) {
    await rows(
      db,
      sql`insert into compliance_finding (sha256, issues, specs)
        select sha256, issues::jsonb, specs::jsonb
        from unnest(${textArray(batch.map(({ sha256 }) => sha256))}, ${jsonTexts(batch.map(({ issues }) => issues))},
          ${jsonTexts(batch.map(({ specs }) => specs))}) as given (sha256, issues, specs)
        on conflict do nothing`,
    );
  }
  return hashes;
}
