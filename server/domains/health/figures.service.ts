import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import type { DatabaseFigures } from '#server/kernel/observability/metrics.ts';
import { inTime } from './in-time.ts';

/** Time limit of the figures in milliseconds: the request for metrics waits for them. */
const TIMEOUT_MS = 2000;
/** Up to so many devices are counted; beyond it the database's own estimate is as good. */
const COUNTED = 100_000;

/** The number of values that a sequence has returned. */
const ENDED = sql`case when is_called then last_value::float8 else 0 end`;

type Row = Pick<DatabaseFigures, 'bytes' | 'connections' | 'nextBackup'> &
  DatabaseFigures['jobsEnded'] &
  DatabaseFigures['jobsActive'] &
  DatabaseFigures['stored'] & {
    compliance: number;
    backup: number;
    queues: string;
    waits: string;
    runs: string;
  };

/** Returns what the database knows of the work of all processes, for the metrics; undefined while it is unavailable. */
export async function measureDatabase(db: Database): Promise<DatabaseFigures | undefined> {
  const [figures] =
    (await inTime(
      rows<Row>(
        db,
        sql`select pg_database_size(current_database())::float8 as bytes,
          (select count(*)::int from pg_stat_activity where datname = current_database()) as connections,
          (select ${ENDED} from jobs_ended_complete) as complete, (select ${ENDED} from jobs_ended_error) as error,
          (select ${ENDED} from jobs_ended_canceled) as canceled,
          (select count(*)::int from jobs where status = 'running') as running,
          (select count(*)::int from jobs where status = 'paused') as paused,
          (select value::float8 from installation where name = 'backup-due') as "nextBackup",
          (select case when reltuples > ${COUNTED}::int then reltuples::float8
             else (select count(*)::float8 from gateway_hosts) end
           from pg_class where oid = 'gateway_hosts'::regclass) as devices,
          (select coalesce(sum(n), 0)::float8 from document_counts where table_name = 'backups') as backups,
          (select count(*)::float8 from adapters) as adapters,
          (select count(*)::int from compliance_batch where status = 'running') as compliance,
          (select count(*)::int from backup_runs where status = 'running') as backup,
          (select coalesce(json_agg(q), '[]')::text from (
             select queue_name as queue, case status when 'PENDING' then 'running' else 'waiting' end as state, count(*)::int as n
             from dbos.workflow_status where status in ('ENQUEUED', 'DELAYED', 'PENDING') and queue_name is not null
             group by 1, 2) as q) as queues,
          (select coalesce(json_object_agg(queue_name, seconds), '{}')::text from (
             select queue_name,
               greatest(0, extract(epoch from now()) - min(greatest(created_at, delay_until_epoch_ms)) / 1000.0)::float8 as seconds
             from dbos.workflow_status where status = 'ENQUEUED' and queue_name is not null
             group by 1) as w) as waits,
          (select coalesce(json_object_agg(status, n), '{}')::text from (
             select status, count(*)::int as n from compliance_batch group by 1) as r) as runs`,
      ),
      TIMEOUT_MS,
    )) ?? [];
  if (!figures) return undefined;
  const { bytes, connections, nextBackup, complete, error, canceled, running, paused } = figures;
  const { devices, backups, adapters, compliance, backup, queues, waits, runs } = figures;
  return {
    bytes,
    connections,
    nextBackup,
    jobsEnded: { complete, error, canceled },
    jobsActive: { running, paused },
    // Written by the statement.
    queues: JSON.parse(queues) as DatabaseFigures['queues'],
    waits: JSON.parse(waits) as DatabaseFigures['waits'],
    stored: { devices, backups, adapters },
    runsActive: { compliance, backup },
    complianceRuns: JSON.parse(runs) as DatabaseFigures['complianceRuns'],
  };
}
