import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { type Database, perDatabase } from '#db/client.ts';
import { newId } from '#db/ids.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { GatewayCall } from '#db/schemas/network/gateway-call.ts';
import { gatewayCalls } from '#db/tables/network/gateway-calls.ts';
import { core } from '#server/kernel/documents/list-envelope.ts';
import { isSecretField } from '#server/kernel/secrets/redact.ts';
import { clipped } from '#server/kernel/text/clipped.ts';
import { throttleCall } from '#server/kernel/timing/throttle-call.ts';
import { withoutSecrets } from './command-secrets.ts';

/** Retention: maximum age and number of entries. */
const DAYS = 90;
const MOST = 200_000;
const CLEARED_MS = 600_000;

/** Maximum number of entries deleted per statement. */
const CLEARED_AT_ONCE = 50_000;

const resource = defineResource({
  name: 'calls',
  schema: GatewayCall,
  source: gatewayCalls,
  columns: { started: gatewayCalls.started, host: gatewayCalls.host, user: gatewayCalls.user },
  defaultSort: [{ field: 'started', order: -1 }],
});

/** Returns a page of the gateway's calls to devices, newest first by default (contract/lifecycle#12). */
export async function listCalls({ db }: { db: Database }, query: Readonly<Record<string, unknown>>) {
  const page = await list(db, resource, readList(resource, query, { hidden: isSecretField }));
  return core<GatewayCall>(page);
}

/** A call to a device that has ended, successfully or not. */
export type FinishedCall = Pick<GatewayCall, 'kind' | 'host' | 'user' | 'durationMs' | 'status'> & {
  started: Date;
  /** Detailed code of the failure. */
  reason?: string | null | undefined;
  requestId?: string | null | undefined;
  /** As sent; secrets are masked before storage. */
  commands?: readonly string[] | undefined;
  destination?: string | undefined;
  /** Texts that are masked wherever they occur in the commands. */
  secrets?: readonly string[] | undefined;
  /** Further fields of the entry, such as facts about the session or byte counts. No outputs, no secrets. */
  more?: Readonly<Record<string, unknown>> | undefined;
};

/**
 * Adds an ended call to the history, whether it succeeded, failed or was canceled (contract/lifecycle#12). `db` must be
 * the pool, not a transaction: the effect on the device remains even if the request is rolled back. A failure to store
 * the entry is logged and does not fail the call.
 */
export async function noteCall(
  { db, log }: { db: Database; log: Pick<Logger, 'error'> },
  call: FinishedCall,
): Promise<void> {
  const { started, commands, secrets, destination, more, durationMs, reason, requestId, ...rest } = call;
  const doc: GatewayCall = {
    ...more,
    _id: newId(started.getTime()),
    ...rest,
    host: clipped(call.host, 255),
    started: started.toISOString(),
    durationMs: Math.max(0, Math.round(durationMs * 10) / 10),
    reason: reason ?? null,
    ...(commands && { commands: commands.map((command) => withoutSecrets(command, secrets)) }),
    ...(destination !== undefined && { destination: clipped(destination, 255) }),
    requestId: requestId ?? null,
  };
  try {
    await db.insert(gatewayCalls).values({ id: doc._id, doc });
    await clearing(db)();
  } catch (err) {
    log.error({ err, kind: call.kind, host: doc.host }, 'the call could not be added to the history');
  }
}

const clearings = perDatabase((): { clear?: () => Promise<void> } => ({}));

/** Returns a throttled function that clears the history of a database. */
function clearing(db: Database): () => Promise<void> {
  const own = clearings(db);
  own.clear ??= throttleCall(CLEARED_MS, () => clearHistory(db));
  return own.clear;
}

/** Deletes entries older than `days`, and those beyond the newest `most`. */
export async function clearHistory(
  db: Database,
  { days = DAYS, most = MOST }: { days?: number; most?: number } = {},
): Promise<void> {
  await db.execute(
    sql`delete from gateway_calls where id in (
          select id from gateway_calls
          where started < to_char(now() at time zone 'UTC' - make_interval(days => ${days}), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') collate "C"
             or started < (select started from gateway_calls order by started desc nulls last, id offset ${most - 1} limit 1)
          order by started limit ${CLEARED_AT_ONCE})`,
  );
}
